import { describe, expect, it } from 'vitest'
import {
  type SmtpBehaviour,
  smtpCertificate,
  startSmtpServer,
} from '../../../test/support/smtp-server.ts'
import { trustCertificate } from '../../../test/support/trust-certificate.ts'
import type { ResolvedEmail } from '../../platform/config/sections/email.ts'
import { silentLogger } from '../../platform/observability/logger.ts'
import { type Delivery, mailsAtOnce } from '../carriers/carrier.ts'
import type { RenderedMail } from './mail.ts'
import { createSmtpCarrier } from './open-mail-carrier.ts'

const mail: RenderedMail = {
  kind: 'confirmation',
  to: 'ada@example.com',
  subject: 'Bestätigen Sie „Ihre“ Adresse',
  html: '<p>Grüße 🙂</p>\n.\n<p>=3D</p>',
  text: 'Grüße 🙂\n.\n..dots',
}

const delivery: Delivery = {
  id: '3f0f3a3e-6a2b-4c55-9d0e-2f3e5b7c9a10',
  createdAt: new Date('2030-01-31T12:34:56Z'),
}

type Smtp = Partial<ResolvedEmail['smtp']>

const patient = { connectMs: 8000, silenceMs: 8000, mailMs: 10_000 }

const usual = {
  externalUrl: 'https://auth.acme.test/auth',
  senderName: 'Acme, "the" Company' as string | null,
  logger: silentLogger,
  patience: patient,
}

/** Returns a carrier for this server, with defaults for all other settings. */
function carrierTo(server: { port: number }, smtp: Smtp = {}, options: Partial<typeof usual> = {}) {
  const { externalUrl, senderName, logger, patience } = { ...usual, ...options }
  const config = {
    externalUrl,
    email: {
      from: { address: 'no-reply@acme.test', name: senderName },
      smtp: {
        host: '127.0.0.1',
        port: server.port,
        implicitTls: null,
        tls: 'required' as const,
        user: null,
        pass: null,
        headers: {},
        loggingEnabled: false,
        ...smtp,
      },
    },
  }
  const carrier = createSmtpCarrier({ config, logger }, patience)
  return Object.assign(carrier, { [Symbol.asyncDispose]: async () => carrier.close?.() })
}

const failureOf = async (sending: Promise<unknown>): Promise<unknown> =>
  sending.then(
    () => null,
    (error: unknown) => error,
  )

describe('a mail by SMTP', () => {
  it('is received unchanged, with its sender and recipient', async () => {
    await using server = await startSmtpServer()
    await using carrier = carrierTo(server)

    const sent = await carrier.send(mail, delivery)
    const arrived = await server.nextMail()

    expect(sent).toEqual({ carrierMessageId: 'test-1' })
    expect(arrived).toMatchObject({
      subject: mail.subject,
      from: { address: 'no-reply@acme.test', name: 'Acme, "the" Company' },
      to: [{ address: 'ada@example.com', name: '' }],
      messageId: `<${delivery.id}@acme.test>`,
      date: '2030-01-31T12:34:56.000Z',
      envelope: { from: 'no-reply@acme.test', to: ['ada@example.com'] },
      clientName: 'auth.acme.test',
      user: null,
    })
    expect(arrived.html?.trim()).toBe(mail.html)
    expect(arrived.text?.trim()).toBe(mail.text)
    expect(headerOf(arrived, 'auto-submitted')).toBe('auto-generated')
    expect(arrived.raw).toMatch(/^MIME-Version: 1.0\r$/m)
    // Text first: clients show the last alternative that they support.
    expect(arrived.raw.indexOf('text/plain')).toBeLessThan(arrived.raw.indexOf('text/html'))
  })

  it('has the same Message-ID and date at every attempt', async () => {
    await using server = await startSmtpServer()
    await using carrier = carrierTo(server)

    await carrier.send(mail, delivery)
    await carrier.send(mail, delivery)
    const [first, second] = [await server.nextMail(), await server.nextMail()]

    expect(second.messageId).toBe(first.messageId)
    expect(second.date).toBe(first.date)
  })

  it('has a bare sender address if the sender has no name', async () => {
    await using server = await startSmtpServer()
    const less = { senderName: null, externalUrl: 'http://127.0.0.1:8081' }
    await using carrier = carrierTo(server, {}, less)

    await carrier.send(mail, delivery)
    const arrived = await server.nextMail()

    expect(arrived.raw).toMatch(/^From: no-reply@acme\.test\r$/m)
    expect(arrived.clientName).toBe('[127.0.0.1]')
  })

  it('uses the connection of the previous one', async () => {
    await using server = await startSmtpServer()
    await using carrier = carrierTo(server)

    await carrier.send(mail, delivery)
    await carrier.send(mail, delivery)

    expect(server.connections).toBe(1)
    expect(server.mails).toHaveLength(2)
  })

  it('opens a connection for each message that an instance sends at a time', async () => {
    await using server = await startSmtpServer({ behaviour: { rcpt: 'wait' } })
    await using carrier = carrierTo(server)
    const sending = Array.from({ length: mailsAtOnce }, () => carrier.send(mail, delivery))
    await expect.poll(() => server.connections).toBe(mailsAtOnce)
    server.hangUp()
    await Promise.allSettled(sending)
  })

  it('waits for a slow server', async () => {
    await using server = await startSmtpServer({ delayMs: 200 })
    await using carrier = carrierTo(server)

    await expect(carrier.send(mail, delivery)).resolves.toEqual({ carrierMessageId: 'test-1' })
  })
})

describe('the connection to a mail server', () => {
  it.each(['starttls', 'implicit'] as const)('is encrypted: %s', async (tls) => {
    using _trust = trustCertificate(smtpCertificate)
    await using server = await startSmtpServer({ tls })
    await using carrier = carrierTo(server, {
      host: 'localhost',
      implicitTls: tls === 'implicit',
    })

    await carrier.send(mail, delivery)

    expect(await server.nextMail()).toMatchObject({ isEncrypted: true })
  })

  it.each(['starttls', 'implicit'] as const)(
    'is not opened to a server without a trusted certificate: %s',
    async (tls) => {
      await using server = await startSmtpServer({ tls })
      await using carrier = carrierTo(server, { implicitTls: tls === 'implicit' })

      const failure = await failureOf(carrier.send(mail, delivery))

      expect(failure).toMatchObject({ name: 'MailServerError' })
      expect(server.mails).toEqual([])
    },
  )

  it('is not opened to a server whose certificate has another name', async () => {
    using _trust = trustCertificate(smtpCertificate)
    await using server = await startSmtpServer({ tls: 'implicit' })
    await using carrier = carrierTo(server, { host: '127.0.0.2', implicitTls: true })

    expect(await failureOf(carrier.send(mail, delivery))).toMatchObject({ name: 'MailServerError' })
  })

  it('logs in', async () => {
    await using server = await startSmtpServer({ auth: { user: 'acme', pass: 's3cret pass' } })
    await using carrier = carrierTo(server, { user: 'acme', pass: 's3cret pass' })

    await carrier.send(mail, delivery)

    expect(await server.nextMail()).toMatchObject({ user: 'acme' })
  })

  it('does not log in if the server does not require it', async () => {
    await using server = await startSmtpServer()
    await using carrier = carrierTo(server, { user: 'acme', pass: 'pass' })

    await carrier.send(mail, delivery)

    expect(await server.nextMail()).toMatchObject({ user: null })
  })

  it('sends no password unencrypted to another machine', async () => {
    await using server = await startSmtpServer({ auth: { user: 'acme', pass: 'pass' } })
    // Another address of this machine, which is not recognized as local.
    await using carrier = carrierTo(server, { host: '0.0.0.0', user: 'acme', pass: 'pass' })

    const failure = await failureOf(carrier.send(mail, delivery))

    expect(failure).toBeInstanceOf(Error)
    expect(server.mails).toEqual([])
  })
})

describe('a rejection of a mail server', () => {
  const refusals: [SmtpBehaviour, boolean, string][] = [
    [{ connect: 421 }, false, '421'],
    [{ connect: 554 }, false, '554'],
    [{ auth: 535 }, false, '535'],
    [{ auth: 454 }, false, '454'],
    [{ mail: 550 }, false, 'the mail server returned 550 5.7.1 to MAIL FROM'],
    [{ mail: 451 }, false, 'the mail server returned 451'],
    [{ rcpt: 550 }, true, 'the mail server returned 550 5.7.1 to RCPT TO'],
    [{ rcpt: 450 }, false, 'the mail server returned 450'],
    [{ data: 554 }, true, 'the mail server returned 554 5.7.1 to DATA'],
    [{ data: 452 }, false, 'the mail server returned 452'],
  ]
  it.each(refusals)('%j is final: %s', async (behaviour, isFinal, reason) => {
    await using server = await startSmtpServer({ behaviour, auth: { user: 'a', pass: 'b' } })
    await using carrier = carrierTo(server, { user: 'a', pass: 'b' })

    const failure = await failureOf(carrier.send(mail, delivery))

    expect(failure).toMatchObject({ name: 'CarrierRejection', isFinal })
    expect(String(failure)).toContain(reason)
    expect(JSON.stringify(describeAll(failure))).not.toMatch(/ada|example\.com/)
    expect(server.mails).toEqual([])
  })

  it('does not affect the next mail', async () => {
    await using server = await startSmtpServer({ behaviour: { rcpt: 550 } })
    await using carrier = carrierTo(server)

    await failureOf(carrier.send(mail, delivery))
    server.behaviour = {}
    await carrier.send(mail, delivery)

    expect(server.mails).toHaveLength(1)
  })
})

describe('a lost mail server', () => {
  it.each(['connect', 'mail', 'rcpt', 'data'] as const)(
    'at %s is a fault, and the mail is retried',
    async (stage) => {
      await using server = await startSmtpServer({ behaviour: { [stage]: 'drop' } })
      await using carrier = carrierTo(server)

      const failure = await failureOf(carrier.send(mail, delivery))
      server.behaviour = {}
      await carrier.send(mail, delivery)

      expect(failure).toMatchObject({ name: 'MailServerError' })
      expect(JSON.stringify(describeAll(failure))).not.toMatch(/ada|example\.com/)
      expect(server.mails).toHaveLength(1)
    },
  )

  it('between two mails is not noticed', async () => {
    await using server = await startSmtpServer()
    await using carrier = carrierTo(server)
    await carrier.send(mail, delivery)

    server.hangUp()
    await carrier.send(mail, delivery)

    expect(server.mails).toHaveLength(2)
    expect(server.connections).toBe(2)
  })

  it('is reported by its error code', async () => {
    const server = await startSmtpServer()
    await server.close()
    await using carrier = carrierTo(server)

    const failure = await failureOf(carrier.send(mail, delivery))

    expect(failure).toMatchObject({ name: 'MailServerError', code: 'ECONNREFUSED' })
  })

  it.each([
    ['says nothing', { silenceMs: 200 }],
    ['takes too long in all', { mailMs: 200 }],
  ])('reaches the time limit if it %s', async (_case, limit) => {
    await using server = await startSmtpServer({ delayMs: 15_000 })
    await using carrier = carrierTo(server, {}, { patience: { ...patient, ...limit } })
    const started = performance.now()

    const failure = await failureOf(carrier.send(mail, delivery))

    expect(failure).toMatchObject({ name: 'MailServerError' })
    expect(performance.now() - started).toBeLessThan(12_000)
  })
})

const headerOf = (
  { headers }: { headers: { key: string; value: string }[] },
  name: string,
): string | undefined => headers.find(({ key }) => key === name)?.value

/** Returns the loggable members of an error. */
const describeAll = (error: unknown): object =>
  error instanceof Error
    ? { text: error.message, ...error, cause: describeAll(error.cause) }
    : { error }

describe('the log of mails', () => {
  const logOf = async (loggingEnabled: boolean, behaviour: SmtpBehaviour, headers = {}) => {
    const lines: [string, object, string][] = []
    const log = (level: string) => (fields: object, message: string) => {
      lines.push([level, fields, message])
    }
    const logger = { ...silentLogger, info: log('info'), warn: log('warn') }
    await using server = await startSmtpServer({ behaviour })
    await using carrier = carrierTo(server, { loggingEnabled, headers }, { logger })
    await failureOf(carrier.send(mail, delivery))
    return lines
  }

  it('has a line for every attempt if enabled, without the address', async () => {
    const fields = {
      event: 'mail.send',
      mail_type: 'confirmation',
      mail_from: 'no-reply@acme.test',
      mail_to_domain: 'example.com',
    }
    const error = 'the mail server returned 550 5.7.1 to RCPT TO'

    expect(await logOf(true, {})).toEqual([['info', fields, 'mail.send']])
    expect(await logOf(true, { rcpt: 550 })).toEqual([['info', { ...fields, error }, 'mail.send']])
    expect(await logOf(false, {})).toEqual([])
  })

  it('reports configured headers without effect', async () => {
    const lines = await logOf(false, {}, { Bcc: ['boss@acme.test'], 'X-Team': ['auth'] })

    expect(lines).toMatchObject([['warn', { header: 'Bcc' }, expect.any(String)]])
  })
})
