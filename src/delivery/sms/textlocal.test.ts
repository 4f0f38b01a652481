import { expect, it } from 'vitest'
import { delivery, rejectionOf, requestedOf, sms } from '../../../test/support/sms.ts'
import { answerJson, startWebServer } from '../../../test/support/web-server.ts'
import { openTextlocal } from './textlocal.ts'

async function conversation(status: number, body: unknown) {
  await using server = await startWebServer((response) => answerJson(response, status, body))
  const settings = { apiKey: 'k3y', sender: 'ACME' }
  const carrier = openTextlocal(settings, { timeoutMs: 500, baseUrl: server.url })
  return { sent: await carrier.send(sms, delivery), requested: requestedOf(server) }
}

const refused = (status: number, body: unknown) => rejectionOf(conversation(status, body))

it('sends a form with its key', async () => {
  expect(await conversation(200, { status: 'success' })).toEqual({
    sent: { carrierMessageId: null },
    requested: {
      request: 'POST /send',
      type: 'application/x-www-form-urlencoded',
      authorization: undefined,
      form: 'apikey=k3y&message=Your+code+is+123456&numbers=15005550001&sender=ACME',
    },
  })
})

it('reports the error and the message id', async () => {
  const body = {
    status: 'failure',
    errors: [{ code: 51, message: 'No valid numbers specified' }],
    messages: [{ id: 'm1' }],
  }

  expect(await refused(200, body)).toEqual({
    reason: 'textlocal error: No valid numbers specified (code: 51) message m1',
    isFinal: true,
  })
})

it('reports a text without a registered template, without the code', async () => {
  const errors = [{ code: 80, message: 'Invalid template' }]

  expect(await refused(200, { status: 'failure', errors, messages: [{ id: 'm1' }] })).toEqual({
    reason:
      'textlocal error: Invalid template (code: 80) message m1 template message: Your code is …',
    isFinal: true,
  })
})

it.each([{ status: 'failure', errors: [] }, {}, []])(
  'accepts a rejection without content: %j',
  async (body) => {
    expect(await refused(503, body)).toEqual({
      reason: 'textlocal error:  (code: ) message ',
      isFinal: false,
    })
  },
)
