import { describe, expect, it } from 'vitest'
import { delivery, rejectionOf, sms } from '../../../test/support/sms.ts'
import { answerJson, startWebServer } from '../../../test/support/web-server.ts'
import { checkConfig } from '../../platform/config/check-config.ts'
import type { AuthConfig } from '../../platform/config/config.ts'
import type { OutgoingSms, SmsConfig } from '../../platform/config/sections/sms.ts'
import { isAllowedDestination, openSmsCarrier } from './open-sms-carrier.ts'

const base: AuthConfig = {
  siteUrl: 'https://app.example.com',
  externalUrl: 'https://auth.example.com',
  database: 'postgres://localhost/app',
  jwt: { secret: 'x'.repeat(32) },
  email: { autoconfirm: true },
}

const resolved = (given: SmsConfig) => checkConfig({ ...base, sms: given }).config.sms

const access = { timeoutMs: 200 }

const complete: [SmsConfig, string][] = [
  [
    {
      provider: 'twilio',
      twilio: { accountSid: 'AC1', authToken: 't', messageServiceSid: 'MG1' },
    },
    '/2010-04-01/Accounts/AC1/Messages.json',
  ],
  [
    {
      provider: 'twilio_verify',
      twilioVerify: { accountSid: 'AC1', authToken: 't', messageServiceSid: 'VA1' },
    },
    '/v2/Services/VA1/Verifications',
  ],
  [{ provider: 'messagebird', messagebird: { accessKey: 'k', originator: 'Acme' } }, '/messages'],
  [{ provider: 'textlocal', textlocal: { apiKey: 'k', sender: 'ACME' } }, '/send'],
  [{ provider: 'vonage', vonage: { apiKey: 'k', apiSecret: 's', from: 'Acme' } }, '/sms/json'],
]

describe('the carrier of SMS', () => {
  it.each(complete)('is the configured one: %j', async (given, path) => {
    await using server = await startWebServer((response) => answerJson(response, 500, {}))
    const carrier = openSmsCarrier(resolved(given), { ...access, baseUrl: server.url })

    await rejectionOf(carrier?.send(sms, delivery) ?? Promise.resolve())

    expect(server.heard.map((one) => one.path)).toEqual([path])
    expect(carrier?.checkCode !== undefined).toBe(given.provider === 'twilio_verify')
  })

  it('hides its credentials in errors, which may quote the request', async () => {
    await using server = await startWebServer((response, { text }) =>
      answerJson(response, 401, { messages: [{ status: '4', 'error-text': `bad ${text}` }] }),
    )
    const vonage = { apiKey: 'k', apiSecret: 'SECRET+von/9=', from: 'Acme' }
    const given = resolved({ provider: 'vonage', vonage })
    const carrier = openSmsCarrier(given, { ...access, baseUrl: server.url })

    const { reason } = await rejectionOf(carrier?.send(sms, delivery) ?? Promise.resolve())

    expect(reason).toContain('api_secret=…')
    expect(reason).not.toContain('SECRET')
  })

  it.each([
    [201, true],
    [503, false],
  ])('takes a broken body after the status %i as final: %s', async (status, isFinal) => {
    await using server = await startWebServer((response) => {
      response.writeHead(status, { 'content-length': '1000' })
      response.write('{"sid":')
      setImmediate(() => response.destroy())
    })
    const twilio = { accountSid: 'AC1', authToken: 't0ken', messageServiceSid: 'MG1' }
    const given = resolved({ provider: 'twilio', twilio })
    const carrier = openSmsCarrier(given, { ...access, baseUrl: server.url })
    const error = await carrier?.send(sms, delivery).catch((reason: unknown) => reason)

    expect(Object(error).isFinal ?? false).toBe(isFinal)
  })

  it.each(complete)('is absent if a part of its credentials is missing: %j', (given) => {
    const { provider, ...sections } = given
    const [[section, credentials]] = Object.entries(sections) as [[string, object]]
    for (const name of Object.keys(credentials)) {
      const partial = { provider, [section]: { ...credentials, [name]: undefined } } as SmsConfig
      expect(openSmsCarrier(resolved(partial), access)).toBeNull()
    }
  })

  it('is absent without a configuration', () => {
    expect(openSmsCarrier(resolved({}), access)).toBeNull()
  })
})

describe('a function in its place', () => {
  const sentBy = (send: NonNullable<SmsConfig['send']>) => {
    const carrier = openSmsCarrier(resolved({ send, ...complete[0]?.[0] }), access)
    if (!carrier) throw new Error('there is none')
    return carrier.send(sms, delivery)
  }

  it('receives the message, and may return its id', async () => {
    const given: OutgoingSms[] = []
    const keep = (one: OutgoingSms) => void given.push(one)

    expect(await sentBy(keep)).toEqual({ carrierMessageId: null })
    expect(await sentBy(async () => ({ messageId: 'm1' }))).toEqual({ carrierMessageId: 'm1' })
    expect(given).toEqual([
      {
        id: delivery.id,
        to: '+15005550001',
        text: 'Your code is 123456',
        code: '123456',
        channel: 'sms',
      },
    ])
  })

  it('is retried after an exception or timeout; its error is stored without the number', async () => {
    const throwing = sentBy(({ to }) => {
      throw new RangeError(`no route to ${to}`)
    })
    const hanging = sentBy(() => new Promise(() => {}))

    expect(await rejectionOf(throwing)).toEqual({
      reason: 'sms.send failed: RangeError: no route to …',
      isFinal: false,
    })
    expect(await rejectionOf(hanging)).toEqual({
      reason: 'sms.send failed: Error: it exceeded its time limit',
      isFinal: false,
    })
  })
})

describe('the permitted destinations', () => {
  it('are all numbers by default', () => {
    expect(isAllowedDestination(resolved({}), '15005550001')).toBe(true)
  })

  it('are numbers with a permitted prefix', () => {
    const settings = resolved({ allowedPrefixes: ['+49', '+1242'] })
    const numbers = ['4915550001', '12425550001', '15005550001', '449155500']

    expect(numbers.map((number) => isAllowedDestination(settings, number))).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  it.each(['49', '+', '+0', '+49 15', 'DE'])('do not include a prefix such as %j', (prefix) => {
    expect(() => resolved({ allowedPrefixes: [prefix] })).toThrow('allowedPrefixes[0]')
  })
})
