import { describe, expect, it } from 'vitest'
import { delivery, rejectionOf, requestedOf, sms } from '../../../test/support/sms.ts'
import { answerJson, startWebServer } from '../../../test/support/web-server.ts'
import type { SmsCarrier } from './sms.ts'
import { openTwilioVerify } from './twilio.ts'

const settings = { accountSid: 'AC1', authToken: 't0ken', messageServiceSid: 'VA1' }

async function conversation<T>(
  status: number,
  body: unknown,
  talk: (carrier: Required<Pick<SmsCarrier, 'send' | 'checkCode'>>) => Promise<T>,
) {
  await using server = await startWebServer((response) => answerJson(response, status, body))
  const { send, checkCode } = openTwilioVerify(settings, { timeoutMs: 500, baseUrl: server.url })
  if (!checkCode) throw new Error('it checks no codes')
  const result = await talk({ send, checkCode })
  return { result, requested: requestedOf(server) }
}

describe('a code of Twilio Verify', () => {
  it.each(['sms', 'whatsapp'] as const)(
    'is sent by %s, without a code or text of Latchkey',
    async (channel) => {
      const { result, requested } = await conversation(201, { sid: 'VE1' }, ({ send }) =>
        send({ ...sms, channel }, delivery),
      )

      expect(result).toEqual({ carrierMessageId: 'VE1' })
      expect(requested).toEqual({
        request: 'POST /v2/Services/VA1/Verifications',
        type: 'application/x-www-form-urlencoded',
        authorization: `Basic ${btoa('AC1:t0ken')}`,
        form: `Channel=${channel}&To=%2B15005550001`,
      })
    },
  )

  it('is not sent if Twilio rejects it', async () => {
    const body = {
      code: 60203,
      message: 'Max send attempts reached',
      more_info: 'https://t.example',
    }
    const sending = conversation(429, body, ({ send }) => send(sms, delivery))

    expect(await rejectionOf(sending)).toEqual({
      reason: 'Max send attempts reached More information: https://t.example',
      isFinal: false,
    })
  })
})

describe('verifying a code', () => {
  const check = (status: number, body: unknown) =>
    conversation(status, body, ({ checkCode }) => checkCode('15005550001', '123456'))

  it('requests it from Twilio, whose approval has two parts', async () => {
    const { result, requested } = await check(200, { status: 'approved', valid: true })

    expect(result).toBe(true)
    expect(requested).toMatchObject({
      request: 'POST /v2/Services/VA1/VerificationCheck',
      authorization: `Basic ${btoa('AC1:t0ken')}`,
      form: 'Code=123456&To=%2B15005550001',
    })
  })

  it.each([
    [200, { status: 'pending', valid: false }],
    [200, { status: 'approved', valid: false }],
    [200, { status: 'approved', valid: 'true' }],
    [200, { status: 'canceled', valid: true }],
    [200, {}],
    [404, { code: 20404, message: 'The requested resource was not found' }],
    [429, { code: 60202, message: 'Max check attempts reached' }],
    [400, { code: 60200, message: 'Invalid parameter: Code' }],
  ])('treats %i %j as a rejection', async (status, body) => {
    expect((await check(status, body)).result).toBe(false)
  })

  it.each([
    [401, { code: 20003, message: 'Authenticate' }],
    [429, { code: 20429, message: 'Too many requests' }],
    [503, {}],
  ])('treats %i %j as unavailable', async (status, body) => {
    const { reason } = await rejectionOf(check(status, body))

    expect(reason).toBe('message' in body ? body.message : 'twilio error: status 503')
  })
})
