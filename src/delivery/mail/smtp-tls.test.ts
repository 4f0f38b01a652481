import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { smtpCertificate, startSmtpServer } from '../../../test/support/smtp-server.ts'
import { trustCertificate } from '../../../test/support/trust-certificate.ts'
import { checkConfig } from '../../platform/config/check-config.ts'
import type { SmtpConfig } from '../../platform/config/sections/email.ts'
import type { ResolveName } from '../../platform/kit/url-trust.ts'
import { silentLogger } from '../../platform/observability/logger.ts'
import { checkMailServer } from './check-mail-server.ts'
import type { RenderedMail } from './mail.ts'
import { createSmtpCarrier } from './open-mail-carrier.ts'

const patience = { connectMs: 8000, silenceMs: 8000, mailMs: 10_000 }

const mail: RenderedMail = {
  kind: 'magicLink',
  to: 'ada@example.com',
  subject: 'Sign in',
  html: '<p>c4n4ry</p>',
  text: 'c4n4ry',
}

const delivery = { id: '3f0f3a3e-6a2b-4c55-9d0e-2f3e5b7c9a10', createdAt: new Date(0) }

const localAddress = { address: '127.0.0.1', family: 4 }
const publicAddress = { address: '203.0.113.7', family: 4 }

/** Resolves to a public and a local address; the local one is that of the test's server. */
const publicName: ResolveName = async () => [localAddress, publicAddress]
const privateName: ResolveName = async () => [localAddress]

function configFor(smtp: SmtpConfig) {
  const { config, warnings } = checkConfig({
    development: true,
    siteUrl: 'https://app.example.test',
    email: { from: 'auth@example.test', smtp },
  })
  return { config, warnings }
}

async function send(smtp: SmtpConfig, resolve: ResolveName): Promise<unknown> {
  const { config } = configFor(smtp)
  const carrier = createSmtpCarrier({ config, logger: silentLogger }, patience, resolve)
  try {
    return await carrier.send(mail, delivery).then(
      () => null,
      (error: unknown) => error,
    )
  } finally {
    await carrier.close?.()
  }
}

/**
 * Starts an attacker on the path, which removes the offer of STARTTLS, and responds to the command
 * in the server's place.
 */
async function startStripping(serverPort: number, response: string | 'forward') {
  const sockets: Socket[] = []
  const heard: Buffer[] = []
  const attacker = createServer((client) => {
    const server = connect(serverPort, '127.0.0.1')
    sockets.push(client, server)
    let isRelayed = false
    for (const socket of [client, server]) socket.on('error', () => {})
    client.on('close', () => server.destroy())
    server.on('close', () => client.destroy())
    server.on('data', (bytes) => {
      if (isRelayed) client.write(bytes)
      else client.write(bytes.toString('latin1').replace('STARTTLS', 'X-NOTLS1'), 'latin1')
    })
    client.on('data', (bytes) => {
      heard.push(bytes)
      const isStart = bytes.toString('latin1').startsWith('STARTTLS')
      if (isStart && response === 'forward') isRelayed = true
      if (isStart && response !== 'forward') client.write(`${response}\r\n`)
      else server.write(bytes)
    })
  })
  attacker.listen(0, '127.0.0.1')
  await once(attacker, 'listening')
  return {
    port: (attacker.address() as AddressInfo).port,
    heard: () => Buffer.concat(heard).toString('latin1'),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => attacker.close(done))
    },
  }
}

describe('S23 TLS to a mail server', () => {
  it.each([
    '502 5.5.1 command not implemented',
    '454 4.7.0 TLS not available',
    '250 2.0.0 OK',
    '220 2.0.0 ready',
  ])(
    'sends nothing unencrypted when an attacker strips STARTTLS and responds "%s"',
    async (reply) => {
      using _trust = trustCertificate(smtpCertificate)
      await using server = await startSmtpServer({ tls: 'starttls' })
      await using attacker = await startStripping(server.port, reply)
      const short = { host: 'mail.example.test', port: attacker.port }

      const failure = await send(short, publicName)

      expect(failure).toBeInstanceOf(Error)
      expect(failure).not.toMatchObject({ isFinal: true })
      expect(server.mails).toEqual([])
      expect(attacker.heard()).not.toMatch(/MAIL FROM|c4n4ry|ada@/)
    },
  )

  it('requests TLS also if the offer is stripped, and sends if the server accepts', async () => {
    using _trust = trustCertificate(smtpCertificate)
    await using server = await startSmtpServer({ tls: 'starttls' })
    await using attacker = await startStripping(server.port, 'forward')

    // In capitals the name is not recognized as local.
    expect(await send({ host: 'LOCALHOST', port: attacker.port }, publicName)).toBeNull()

    expect(await server.nextMail()).toMatchObject({ isEncrypted: true })
    expect(attacker.heard()).not.toMatch(/MAIL FROM|c4n4ry|ada@/)
  })

  it('sends unencrypted to a name whose addresses are all private', async () => {
    await using server = await startSmtpServer()

    expect(await send({ host: 'mailpit', port: server.port }, privateName)).toBeNull()

    expect(await server.nextMail()).toMatchObject({ isEncrypted: false })
  })

  it('sends encrypted to a private host that offers it', async () => {
    using _trust = trustCertificate(smtpCertificate)
    await using server = await startSmtpServer({ tls: 'starttls' })

    expect(await send({ host: 'LOCALHOST', port: server.port }, privateName)).toBeNull()

    expect(await server.nextMail()).toMatchObject({ isEncrypted: true })
  })

  it('rejects a name that resolves to no address', async () => {
    const failure = await send({ host: 'mail.example.test', port: 25 }, async () => [])

    expect(failure).toMatchObject({ name: 'MailServerError', code: 'ENOTFOUND' })
  })

  it('looks the name up for each connection', async () => {
    await using server = await startSmtpServer()
    const smtp = { host: 'mail.example.test', port: server.port }
    const { config } = configFor(smtp)
    const answers = [privateName, publicName]
    const resolve: ResolveName = (host) => (answers.shift() ?? publicName)(host)
    const carrier = createSmtpCarrier({ config, logger: silentLogger }, patience, resolve)

    await carrier.send(mail, delivery)
    server.hangUp()

    await expect(carrier.send(mail, delivery)).rejects.toThrow(/STARTTLS/)
    expect(server.mails).toHaveLength(1)
    await carrier.close?.()
  })

  it('is lifted by `opportunistic`, but never for a password', async () => {
    await using server = await startSmtpServer({ auth: { user: 'ada', pass: 'p4ss' } })
    await using open = await startSmtpServer()
    // In capitals the name is not recognized as local.
    const host = 'LOCALHOST'
    const login = { user: 'ada', pass: 'p4ss' }

    const first = await send({ host, port: open.port, tls: 'opportunistic' }, publicName)
    const second = await send(
      { host, port: server.port, tls: 'opportunistic', ...login },
      publicName,
    )
    const third = await send({ host, port: server.port, ...login }, privateName)

    expect(first).toBeNull()
    expect(open.mails).toHaveLength(1)
    expect(String(second)).toContain('STARTTLS')
    expect(String(third)).toContain('STARTTLS')
    expect(server.mails).toEqual([])
  })

  it.each([
    ['198.51.100.7', true],
    ['mail.example.com', true],
    ['127.0.0.1', false],
    ['localhost', false],
    ['10.0.0.5', false],
    ['fd00::5', false],
  ])('`opportunistic` for %s has a warning at start: %s', (host, isWarned) => {
    const { warnings } = configFor({ host, port: 587, tls: 'opportunistic' })

    expect(warnings.filter((text) => text.startsWith('email.smtp.tls'))).toHaveLength(
      isWarned ? 1 : 0,
    )
  })

  it('doctor reports a public server without STARTTLS', async () => {
    await using server = await startSmtpServer()
    const { config } = configFor({ host: 'mail.example.test', port: server.port })

    expect(await checkMailServer(config, patience, publicName)).toMatchObject({
      trouble: 'no_starttls',
    })
    expect(await checkMailServer(config, patience, privateName)).toBeNull()
  })
})
