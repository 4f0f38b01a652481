import { describe, expect, it } from 'vitest'
import { delivery, rejectionOf, requestedOf, sms } from '../../../test/support/sms.ts'
import { answerJson, startWebServer } from '../../../test/support/web-server.ts'
import { openVonage } from './vonage.ts'

const taken = { messages: [{ status: '0', 'message-id': 'm1' }] }

async function conversation(status: number, body: unknown, message = sms) {
  await using server = await startWebServer((response) => answerJson(response, status, body))
  const settings = { apiKey: 'k3y', apiSecret: 's3cret', from: 'Acme' }
  const carrier = openVonage(settings, { timeoutMs: 500, baseUrl: server.url })
  return { sent: await carrier.send(message, delivery), requested: requestedOf(server) }
}

const refused = (status: number, body: unknown) => rejectionOf(conversation(status, body))

it('sends a form with its key', async () => {
  expect(await conversation(200, taken)).toEqual({
    sent: { carrierMessageId: 'm1' },
    requested: {
      request: 'POST /sms/json',
      type: 'application/x-www-form-urlencoded',
      authorization: undefined,
      form: 'api_key=k3y&api_secret=s3cret&from=Acme&text=Your+code+is+123456&to=15005550001',
    },
  })
})

it.each(['Dein Schlüssel: 123456', 'Code 👋 123456'])(
  'declares that %j is not ASCII',
  async (text) => {
    const { requested } = await conversation(200, taken, { ...sms, text })

    const form = new URLSearchParams(requested.form)
    expect([form.get('type'), form.get('text')]).toEqual(['unicode', text])
  },
)

describe('a rejection by Vonage', () => {
  it.each([
    ['4', true],
    ['15', true],
    ['1', false],
    ['5', false],
  ])('with status %s is final: %s', async (status, isFinal) => {
    const message = { status, 'error-text': 'Bad Credentials', 'message-id': 'm1' }

    expect(await refused(200, { messages: [message] })).toEqual({
      reason: `vonage error: Bad Credentials (status: ${status}) for message m1`,
      isFinal,
    })
  })

  it.each([{ messages: [] }, { messages: {} }, { messages: [{}] }, {}])(
    'may have no content: %j',
    async (body) => {
      expect(await refused(500, body)).toEqual({
        reason: 'vonage error: Internal Error',
        isFinal: false,
      })
    },
  )
})
