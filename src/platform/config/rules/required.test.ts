import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  minimal,
  problemsOf,
  problemsWith,
  resolve,
  secret,
} from '../../../../test/support/config-problems.ts'
import { checkConfig } from '../check-config.ts'
import type { AuthConfig } from '../config.ts'

describe('the required settings', () => {
  it('are a site, a database, a key and a way to send mail', () => {
    expect(problemsOf({})).toEqual({
      siteUrl: 'is required: the base URL of the application',
      'database.url': 'is required: postgres://user:password@host:5432/database',
      'jwt.secret': expect.stringMatching(/^is required: .* Or set encryptionKey, /),
      'email.smtp.host': expect.stringMatching(
        /^is required to send mail\. Or set hooks\.sendEmail/,
      ),
    })
  })

  it('are none in development', () => {
    const { config } = checkConfig({ development: true })
    expect(config).toMatchObject({
      siteUrl: 'http://127.0.0.1:8081/_latchkey/landed',
      externalUrl: 'http://127.0.0.1:8081',
      database: { url: null },
      // Addresses are not confirmed automatically: the development mailbox shows the messages.
      email: { autoconfirm: false },
      sms: { autoconfirm: false },
    })
  })

  it('are used in development, if they are set', () => {
    const { config } = checkConfig({
      development: true,
      siteUrl: 'http://localhost:5173',
      externalUrl: 'http://localhost:9999/',
      server: { port: 4000 },
      email: { autoconfirm: true },
    })
    expect(config).toMatchObject({
      siteUrl: 'http://localhost:5173',
      externalUrl: 'http://localhost:9999',
      email: { autoconfirm: true },
      sms: { autoconfirm: false },
    })
    expect(checkConfig({ development: true, server: { port: 4000 } }).config.externalUrl).toBe(
      'http://127.0.0.1:4000',
    )
    expect(checkConfig({ development: true, basePath: '/auth' }).config.externalUrl).toBe(
      'http://127.0.0.1:3000/auth',
    )
  })

  it('do not permit development in production', () => {
    const path = {
      development:
        'is not permitted under NODE_ENV=production: remove it, or unset NODE_ENV on a machine of a developer',
    }
    expect(problemsOf({ development: true }, { production: true })).toEqual(path)
    expect(problemsOf(minimal, { production: true })).toEqual({})
  })

  it('lead the links of a mounted service to its mount path', () => {
    const email = { autoconfirm: true, urlPaths: { recovery: '/reset' } }

    expect(resolve({ basePath: '/auth', email }).email.urlPaths).toMatchObject({
      confirmation: '/auth/verify',
      recovery: '/reset',
    })
    const behindProxy = { basePath: '/auth', externalUrl: 'https://example.com/api/auth' }
    expect(resolve(behindProxy).email.urlPaths.invite).toBe('/api/auth/verify')
    const notMounted = { externalUrl: 'https://example.com/auth/v1' }
    expect(resolve(notMounted).email.urlPaths.invite).toBe('/verify')
  })

  it('lead magic links to the path of recovery links, unless they have their own', () => {
    const pathsWith = (urlPaths: Record<string, string>) =>
      resolve({ email: { autoconfirm: true, urlPaths } }).email.urlPaths

    expect(pathsWith({ recovery: '/reset' }).magicLink).toBe('/reset')
    expect(pathsWith({ recovery: '/reset', magicLink: '/in' }).magicLink).toBe('/in')
    expect(pathsWith({ magicLink: '/in' }).recovery).toBe('/verify')
  })

  it('warn of a path of the external URL that links would lose, with the settings that keep it', () => {
    const warningsWith = (changes: AuthConfig) => checkConfig({ ...minimal, ...changes }).warnings
    const externalUrl = 'https://example.com/auth/'
    const paths = [
      'invite',
      'confirmation',
      'recovery',
      'magicLink',
      'emailChange',
      'credential',
    ] as const
    const found =
      'externalUrl has the path /auth, and links in mails lead to https://example.com/verify without it: set '

    expect(warningsWith({ externalUrl })).toEqual([
      // Magic links follow the path of recovery.
      `${found}${paths
        .filter((path) => path !== 'magicLink')
        .map((path) => `email.urlPaths.${path}`)
        .join(', ')} to /auth/verify`,
    ])
    const urlPaths = Object.fromEntries(paths.map((path) => [path, '/auth/verify']))
    expect(warningsWith({ externalUrl, email: { autoconfirm: true, urlPaths } })).toEqual([])
    const { invite: _, ...others } = urlPaths
    expect(warningsWith({ externalUrl, email: { autoconfirm: true, urlPaths: others } })).toEqual([
      `${found}email.urlPaths.invite to /auth/verify`,
    ])
    expect(warningsWith({ externalUrl, basePath: '/auth' })).toEqual([])
    expect(warningsWith({ externalUrl: 'https://auth.example.com/' })).toEqual([])
  })

  it("include a warning until the client's header, or the lack of a proxy, is configured", () => {
    const warningsWith = (header?: string) =>
      checkConfig({ ...minimal, rateLimits: { header } }).warnings

    expect(warningsWith()).toEqual([expect.stringMatching(/^rateLimits\.header is not set/)])
    expect(warningsWith('x-forwarded-for')).toEqual([])
    expect(warningsWith('Off')).toEqual([])
    expect(resolve({ rateLimits: { header: 'off' } }).rateLimits.header).toBeNull()
    expect(checkConfig({ development: true }).warnings).toEqual([])
  })

  it('derive the external URL from the site and the base path', () => {
    const externalUrl = (siteUrl: string) => resolve({ siteUrl, basePath: '/auth/' }).externalUrl
    expect(externalUrl('https://app.example.com/')).toBe('https://app.example.com/auth')
    expect(externalUrl('https://example.com/shop/?from=mail#top')).toBe(
      'https://example.com/shop/auth',
    )
    expect(problemsWith({ siteUrl: 'acmeapp://login' })).toEqual({
      externalUrl: 'is required: the URL under which clients reach the service',
    })
  })

  it.each([
    ['https://app.example.com/auth', '/auth'],
    ['https://app.example.com/auth/', '/auth/'],
    ['https://app.example.com/shop/auth', '/auth'],
  ])('do not include a site (%s) that ends with the base path (%s)', (siteUrl, basePath) => {
    expect(problemsWith({ siteUrl, basePath }).siteUrl).toMatch(
      /^ends with basePath, so that links would lead to .*\/auth\/auth: give .* without \/auth/,
    )
    const externalUrl = 'https://app.example.com/auth/auth'
    expect(problemsWith({ siteUrl, basePath, externalUrl })).toEqual({})
    expect(problemsWith({ siteUrl: 'https://app.example.com/oauth', basePath })).toEqual({})
  })

  it('are met by a secret, or a root with generated or configured keys', () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    const keys = [{ ...privateKey.export({ format: 'jwk' }), kid: 'one', key_ops: ['sign'] }]

    expect(problemsWith({ jwt: {}, encryptionKey: secret })).toEqual({})
    expect(problemsWith({ jwt: { keys }, encryptionKey: secret })).toEqual({})
    expect(problemsWith({ jwt: { keys, secret } })).toEqual({})
    expect(problemsWith({ jwt: { keys } })).toEqual({
      encryptionKey: 'is required in addition to jwt.keys: a secret of at least 32 bytes',
    })
    expect(problemsWith({ jwt: {} })).toHaveProperty(['jwt.secret'])
  })

  it('are met by any way to send mail, or none if no mail is sent', () => {
    const from = 'Acme <no-reply@example.com>'
    const send = async () => {}
    expect(problemsWith({ email: {} })).toHaveProperty(['email.smtp.host'])
    expect(problemsWith({ email: { from, smtp: 'smtp://localhost:2525' } })).toEqual({})
    expect(problemsWith({ email: { send: () => {} } })).toEqual({})
    expect(problemsWith({ email: {}, hooks: { sendEmail: send } })).toEqual({})
    expect(problemsWith({ email: {}, hooks: { sendEmail: { uri: 'https://x.test/h' } } })).toEqual(
      {},
    )
    expect(problemsWith({ email: { enabled: false } })).toEqual({})
  })

  it('include PostgreSQL', () => {
    expect(problemsWith({ database: 'mysql://localhost/app' })).toEqual({
      'database.url': 'must be a URL such as postgres://user:password@host:5432/database',
    })
    expect(problemsWith({ database: { url: minimal.database, driver: 'mysql' } })).toEqual({
      'database.driver': 'must be "postgres", not "mysql"',
    })
  })
})

describe('S21: the roles of administrators', () => {
  const withRoles = (jwt: object) => problemsWith({ jwt: { secret, ...jwt } })

  it.each([
    [{ adminRoles: ['service_role', 'authenticated'] }, 'jwt.adminRoles'],
    [{ adminRoles: ['Authenticated'], defaultRole: 'member' }, 'jwt.adminRoles'],
    [{ adminRoles: ['anon'] }, 'jwt.adminRoles'],
    [{ adminRoles: ['authenticated'] }, 'jwt.defaultRole'],
    [{ defaultRole: 'service_role' }, 'jwt.defaultRole'],
    [{ defaultRole: 'SERVICE_ROLE' }, 'jwt.defaultRole'],
    [{ adminRoles: ['staff'], defaultRole: 'staff' }, 'jwt.defaultRole'],
  ])('are not roles that users can have: %j is rejected', (jwt, path) => {
    expect(Object.keys(withRoles(jwt))).toContain(path)
  })

  it.each([{ adminRoles: ['staff'] }, { defaultRole: 'member' }, { adminRoles: [] }])(
    'may be others: %j',
    (jwt) => expect(withRoles(jwt)).toEqual({}),
  )
})
