import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import {
  type SmtpServerOptions,
  smtpCertificate,
  startSmtpServer,
} from '../../../test/support/smtp-server.ts'
import { trustCertificate } from '../../../test/support/trust-certificate.ts'
import { checkConfig } from '../../platform/config/check-config.ts'
import type { EmailConfig } from '../../platform/config/sections/email.ts'
import { checkMail } from './check-mail.ts'

// The finding of `latchkey doctor` for each way in which a mail server fails, tested against a
// server.

const patience = { connectMs: 2000, silenceMs: 500, mailMs: 2000 }

const look = async (smtp: EmailConfig['smtp']) => {
  const { config } = checkConfig({
    development: true,
    siteUrl: 'https://app.example.test',
    email: { from: 'auth@example.test', smtp },
  })
  const nameOf = (path: string) => path
  const needs = { config, selectors: [], findTexts: async () => [], nameOf, patience }
  const [{ level, message, remedy = '' } = { level: 'none', message: '' }] = await checkMail(needs)
  return { level, message, remedy }
}

/** Returns the finding for a server with this behaviour. No mail is sent meanwhile. */
async function found(options: SmtpServerOptions, smtp: object = {}) {
  await using server = await startSmtpServer(options)
  const finding = await look({ host: '127.0.0.1', port: server.port, ...smtp })
  expect(server.mails).toEqual([])
  return finding
}

/**
 * An address of this machine that is not recognized as local, so that a password would be sent
 * unencrypted over a network.
 */
const elsewhere = { host: '0.0.0.0', user: 'ada', pass: 'c4n4ry' }
const login = { user: 'ada', pass: 'c4n4ry' }

describe('a mail server', () => {
  it('is fine if it would accept a mail from the configured address; none is sent', async () => {
    expect((await found({})).level).toBe('fine')
    expect((await found({ auth: login }, login)).level).toBe('fine')
    using _trust = trustCertificate(smtpCertificate)
    expect(await found({ tls: 'starttls', auth: login }, { host: 'localhost', ...login })).toEqual({
      level: 'fine',
      message: expect.stringMatching(/^reached/),
      remedy: '',
    })
  })

  it.each<[what: string, server: SmtpServerOptions, smtp: object, message: RegExp, remedy: RegExp]>(
    [
      [
        'a wrong password',
        { auth: { user: 'ada', pass: 'right' } },
        login,
        /535 5\.7\.\d to AUTH/,
        /email\.smtp\.user and email\.smtp\.pass/,
      ],
      [
        'a server that cannot encrypt',
        { auth: login },
        elsewhere,
        /5\d\d.* to STARTTLS/,
        /not sent unencrypted/,
      ],
      [
        'a certificate that nobody signed',
        { tls: 'starttls' },
        { host: 'localhost' },
        /SELF_SIGNED/,
        /NODE_EXTRA_CA_CERTS/,
      ],
      [
        'an address that may not send',
        { behaviour: { mail: 550 } },
        {},
        /550 5\.7\.1 to MAIL FROM/,
        /email\.from\.address/,
      ],
      [
        'a server that is busy',
        { behaviour: { mail: 451 } },
        {},
        /451 5\.7\.1 to MAIL FROM/,
        /rejected the connection temporarily/,
      ],
      [
        'TLS that the server does not speak at once',
        {},
        { implicitTls: true },
        /ERR_SSL|EPROTO/,
        /587 after STARTTLS/,
      ],
      [
        'TLS that the server speaks at once',
        { tls: 'implicit' },
        {},
        /TIMEDOUT/,
        /email\.smtp\.port to 465/,
      ],
      ['a server that hangs up', { behaviour: { mail: 'drop' } }, {}, /lost/, /read its log/],
    ],
  )('that does not accept mails is reported: %s', async (_what, server, smtp, message, remedy) => {
    const finding = await found(server, smtp)

    expect(finding).toEqual({
      level: 'problem',
      message: expect.stringMatching(message),
      remedy: expect.stringMatching(remedy),
    })
    expect(JSON.stringify(finding)).not.toMatch(/c4n4ry|ada@/)
  })

  it('whose certificate is for another name is reported', async () => {
    using _trust = trustCertificate(smtpCertificate)

    expect(await found({ tls: 'starttls' }, { host: '0.0.0.0' })).toEqual({
      level: 'problem',
      message: expect.stringMatching(/ALTNAME_INVALID/),
      remedy: expect.stringMatching(/not an alias or an address/),
    })
  })

  it('that is unknown, unreachable or silent is reported', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const mute = await look({ host: '127.0.0.1', port })
    silent.close()
    const unreachable = await look({ host: '127.0.0.1', port: 1 })
    const unknown = await look({ host: 'mail.nowhere.invalid', port: 587 })

    expect(mute).toMatchObject({ level: 'problem', message: expect.stringMatching(/TIMEDOUT/) })
    expect(mute.remedy).toMatch(/block port 25/)
    expect(unreachable).toMatchObject({
      level: 'problem',
      message: expect.stringMatching(/ECONNREFUSED/),
    })
    expect(unreachable.remedy).toMatch(/no server listens/)
    expect(unknown.level).toBe('problem')
    expect(unknown.remedy).toMatch(/check the spelling/)
  })
})
