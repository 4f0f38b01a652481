import { expect, it } from 'vitest'
import { isKnownChannel } from './open-sms-carrier.ts'

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
