import { describe, expect, it } from 'vitest'
import { delivery, rejectionOf, requestedOf, sms } from '../../../test/support/sms.ts'
import { answerJson, type ServerAnswer, startWebServer } from '../../../test/support/web-server.ts'
import { isFetchFailure } from '../../platform/kit/url-trust.ts'
import type { RenderedSms } from './sms.ts'
import { openTwilio, type TwilioSettings } from './twilio.ts'

const settings = {
  accountSid: 'AC1',
  authToken: 't0ken',
  messageServiceSid: 'MG1',
  contentSid: null,
}

const whatsapp: RenderedSms = { ...sms, channel: 'whatsapp' }

async function conversation(
  answer: ServerAnswer,
  message: RenderedSms = sms,
  given: Partial<TwilioSettings> = {},
) {
  await using server = await startWebServer(answer)
  const carrier = openTwilio({ ...settings, ...given }, { timeoutMs: 800, baseUrl: server.url })
  const sent = await carrier.send(message, delivery)
  return { sent, requested: requestedOf(server) }
}

const taken: ServerAnswer = (response) =>
  answerJson(response, 201, { sid: 'SM1', status: 'queued' })

const refused = (status: number, body: unknown, message?: RenderedSms) =>
  rejectionOf(conversation((response) => answerJson(response, status, body), message))

describe('a message by Twilio', () => {
  it('is a form of the account', async () => {
    expect(await conversation(taken)).toEqual({
      sent: { carrierMessageId: 'SM1' },
      requested: {
        request: 'POST /2010-04-01/Accounts/AC1/Messages.json',
        type: 'application/x-www-form-urlencoded',
        authorization: `Basic ${btoa('AC1:t0ken')}`,
        form: 'Body=Your+code+is+123456&Channel=sms&From=MG1&To=%2B15005550001',
      },
    })
  })

  it.each([
    ['MG1', 'MG1'],
    ['+1 500 555 0006', 'whatsapp:+1 500 555 0006'],
    ['15005550006', 'whatsapp:15005550006'],
  ])('uses WhatsApp from %s as %s', async (sender, from) => {
    const { requested } = await conversation(taken, whatsapp, { messageServiceSid: sender })

    expect(Object.fromEntries(new URLSearchParams(requested.form))).toEqual({
      Body: sms.text,
      Channel: 'whatsapp',
      From: from,
      To: 'whatsapp:+15005550001',
    })
  })

  it('uses WhatsApp with its template, if there is one', async () => {
    const { requested } = await conversation(taken, whatsapp, { contentSid: 'HX1' })

    expect(Object.fromEntries(new URLSearchParams(requested.form))).toEqual({
      Channel: 'whatsapp',
      ContentSid: 'HX1',
      ContentVariables: '{"1": "123456"}',
      From: 'MG1',
      To: 'whatsapp:+15005550001',
    })
  })

  it('needs no name', async () => {
    const { sent } = await conversation((response) => answerJson(response, 200, {}))

    expect(sent).toEqual({ carrierMessageId: null })
  })
})

describe('a rejection by Twilio', () => {
  it('contains its message, without the number', async () => {
    const body = {
      code: 21211,
      message: "The 'To' number +15005550001 is not a valid phone number.",
      more_info: 'https://www.twilio.com/docs/errors/21211',
      status: 400,
    }

    expect(await refused(400, body)).toEqual({
      reason:
        "The 'To' number … is not a valid phone number. " +
        'More information: https://www.twilio.com/docs/errors/21211',
      isFinal: true,
    })
  })

  it.each([
    [401, true],
    [429, false],
    [500, false],
    [302, true],
  ])('with status %i is final: %s', async (status, isFinal) => {
    expect(await refused(status, { message: 'No' })).toEqual({ reason: 'No', isFinal })
  })

  it('may have a success status', async () => {
    const body = { sid: 'SM1', error_message: 'Unreachable', error_code: 30003 }
    const reason = 'twilio error: Unreachable 30003 for message SM1'

    expect(await refused(201, { ...body, status: 'failed' })).toEqual({ reason, isFinal: true })
    expect(await refused(201, { ...body, status: 'undelivered' })).toHaveProperty('reason', reason)
  })

  it.each([{}, [], null, 'no'])('may be empty: %j', async (body) => {
    expect(await refused(400, body)).toEqual({
      reason: 'twilio error: status 400',
      isFinal: true,
    })
  })

  it.each([
    [200, '<html>', true],
    [502, '', false],
  ])('may be unreadable: %i %j', async (status, body, isFinal) => {
    const answer: ServerAnswer = (response) => response.writeHead(status).end(body)

    expect(await rejectionOf(conversation(answer))).toEqual({
      reason: `The carrier returned ${status} with a body that is not JSON`,
      isFinal,
    })
  })

  it('is not assumed without a response: that is a temporary fault', async () => {
    const isFault = (reason: string) => (error: unknown) =>
      isFetchFailure(error) && error.reason === reason

    await expect(conversation(() => {})).rejects.toSatisfy(isFault('timed-out'))
    await expect(conversation((response) => response.destroy())).rejects.toSatisfy(
      isFault('unreachable'),
    )
  })
})
