import { expect, it } from 'vitest'
import type { Config } from '../../platform/config/config.ts'
import { isKnownChannel, readChannel } from './open-sms-carrier.ts'

it.each([
  ['twilio', null, ['sms', 'whatsapp']],
  ['twilio_verify', null, ['sms', 'whatsapp']],
  ['vonage', null, ['sms']],
  [null, null, ['sms']],
  ['vonage', () => {}, ['sms', 'whatsapp']],
] as const)('with the carrier %s and the function %s, channels are %j', (provider, send, known) => {
  const channels = ['sms', 'whatsapp', 'telegram', '']

  expect(channels.filter((channel) => isKnownChannel({ provider, send }, channel))).toEqual(known)
})

it('with a hook, any name of a channel is accepted, up to 64 characters', () => {
  const config = {
    sms: { provider: null, send: null },
    hooks: { sendSms: { enabled: true } },
  } as unknown as Config

  expect(readChannel(config, 'telegram')).toBe('telegram')
  expect(readChannel(config, 'c'.repeat(64))).toHaveLength(64)
  expect(() => readChannel(config, 'c'.repeat(65))).toThrow(
    'channel: must have at most 64 characters',
  )
})
