import { expect, it } from 'vitest'
import { delivery, rejectionOf, requestedOf, sms } from '../../../test/support/sms.ts'
import { answerJson, startWebServer } from '../../../test/support/web-server.ts'
import { openMessagebird } from './messagebird.ts'

async function conversation(status: number, body: unknown) {
  await using server = await startWebServer((response) => answerJson(response, status, body))
  const settings = { accessKey: 'k3y', originator: 'Acme' }
  const carrier = openMessagebird(settings, { timeoutMs: 500, baseUrl: server.url })
  return { sent: await carrier.send(sms, delivery), requested: requestedOf(server) }
}

const refused = (status: number, body: unknown) => rejectionOf(conversation(status, body))

it('sends a form with its key', async () => {
  expect(await conversation(201, { id: 'm1', recipients: { totalSentCount: 1 } })).toEqual({
    sent: { carrierMessageId: 'm1' },
    requested: {
      request: 'POST /messages',
      type: 'application/x-www-form-urlencoded',
      authorization: 'AccessKey k3y',
      form:
        'body=Your+code+is+123456&datacoding=unicode&originator=Acme' +
        '&recipients=15005550001&type=sms',
    },
  })
})

it.each([400, 401, 403, 422])('reports the first error of a response with %i', async (status) => {
  const errors = [{ code: 9, description: 'no (correct) recipients found', parameter: 'recipient' }]

  expect(await refused(status, { errors })).toEqual({
    reason: 'no (correct) recipients found',
    isFinal: true,
  })
})

it.each([{ errors: [] }, { errors: [null] }, {}])(
  'accepts errors without content: %j',
  async (body) => {
    expect(await refused(422, body)).toHaveProperty('reason', 'messagebird error: status 422')
  },
)

it.each([
  [201, { recipients: { totalSentCount: 0 } }, true],
  [200, { recipients: null }, true],
  [500, {}, false],
])('treats %i %j as a rejection', async (status, body, isFinal) => {
  expect(await refused(status, body)).toEqual({
    reason: 'messagebird error: total sent count is 0',
    isFinal,
  })
})
