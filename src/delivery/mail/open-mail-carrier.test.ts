import { describe, expect, it } from 'vitest'
import { startSmtpServer } from '../../../test/support/smtp-server.ts'
import { checkConfig } from '../../platform/config/check-config.ts'
import type { EmailConfig, OutgoingMail } from '../../platform/config/sections/email.ts'
import { silentLogger } from '../../platform/observability/logger.ts'
import type { RenderedMail } from './mail.ts'
import { openMailCarrier, sendByFunction } from './open-mail-carrier.ts'

const mail: RenderedMail = {
  kind: 'magicLink',
  to: 'ada@example.com',
  subject: 'Your sign-in link',
  html: '<p>link</p>',
  text: 'link',
}

const delivery = { id: '3f0f3a3e-6a2b-4c55-9d0e-2f3e5b7c9a10', createdAt: new Date(0) }
const noSender = { address: null, name: null }

function carrierFor(email: EmailConfig) {
  const { config } = checkConfig({ siteUrl: 'https://acme.test', development: true, email })
  return openMailCarrier({ config, logger: silentLogger })
}

const failureOf = (sending: Promise<unknown> | undefined): Promise<unknown> | undefined =>
  sending?.then(
    () => null,
    (error: unknown) => error,
  )

describe('the mail carrier', () => {
  it('is absent without a configuration', () => {
    expect(carrierFor({})).toBeNull()
  })

  it('is the mail server', async () => {
    await using server = await startSmtpServer()
    const smtp = `smtp://127.0.0.1:${server.port}`
    const carrier = carrierFor({ from: 'Acme <no-reply@acme.test>', smtp })

    await carrier?.send(mail, delivery)
    await carrier?.close?.()

    expect(await server.nextMail()).toMatchObject({ subject: mail.subject })
  })

  it('is the function, even if there is a mail server', async () => {
    const sent: OutgoingMail[] = []
    const carrier = carrierFor({
      from: 'Acme <no-reply@acme.test>',
      smtp: 'smtp://127.0.0.1:1',
      send: (outgoing) => {
        sent.push(outgoing)
      },
    })

    await expect(carrier?.send(mail, delivery)).resolves.toEqual({ carrierMessageId: null })
    expect(sent).toEqual([
      { ...mail, ...delivery, from: { address: 'no-reply@acme.test', name: 'Acme' } },
    ])
  })
})

describe('a function that sends mails', () => {
  it('may return its id of the mail', async () => {
    const carrier = carrierFor({ send: async () => ({ messageId: 'msg_1' }) })

    await expect(carrier?.send(mail, delivery)).resolves.toEqual({ carrierMessageId: 'msg_1' })
  })

  it.each([
    [
      'at once',
      () => {
        throw new TypeError('no ada@example.com here')
      },
    ],
    ['later', () => Promise.reject(new TypeError('no ada@example.com here'))],
  ])(
    'that throws %s has not accepted it, and its message is stored without addresses',
    async (_when, send) => {
      const failure = await failureOf(carrierFor({ send })?.send(mail, delivery))

      expect(failure).toMatchObject({
        name: 'CarrierRejection',
        isFinal: false,
        message: 'email.send failed: TypeError: no … here',
      })
    },
  )

  it('that never ends reaches its time limit', async () => {
    const carrier = sendByFunction(() => new Promise(() => {}), noSender, 20)

    expect(await failureOf(carrier.send(mail, delivery))).toMatchObject({
      isFinal: false,
      message: 'email.send failed: Error: it exceeded its time limit',
    })
  })

  it('receives one plain address or is not called (T16)', async () => {
    let calls = 0
    const carrier = carrierFor({ send: () => void calls++ })

    const failure = await failureOf(carrier?.send({ ...mail, to: 'a@x.test, b@y.test' }, delivery))

    expect(failure).toMatchObject({ name: 'CarrierRejection', isFinal: true })
    expect(calls).toBe(0)
  })
})
