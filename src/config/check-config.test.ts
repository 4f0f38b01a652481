import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ConfigError } from '../errors/config-error.ts'
import type { AuthConfig } from './auth-config.ts'
import { checkConfig } from './check-config.ts'
import type { HookConfig } from './sections/hooks.ts'

const secret = 'a-secret-of-more-than-thirty-two-bytes'

/** The least that production needs. */
const minimal: AuthConfig = {
  siteUrl: 'https://app.example.com',
  database: 'postgres://user:hunter2@db.example.com/app',
  jwt: { secret },
  email: { autoconfirm: true },
  rateLimits: { header: 'off' },
}

const resolve = (changes: AuthConfig = {}) => checkConfig({ ...minimal, ...changes }).config

/** What is wrong with a configuration, by path. */
function problemsOf(given: unknown, options?: { production: boolean }): Record<string, string> {
  try {
    checkConfig(given as AuthConfig, options)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return Object.fromEntries(error.problems.map(({ path, message }) => [path, message]))
  }
  return {}
}

const problemsWith = (changes: object) => problemsOf({ ...minimal, ...changes })

describe('a deprecated setting', () => {
  it('acts, and is warned about once, with what takes its place', () => {
    const { config, warnings } = checkConfig({
      ...minimal,
      externalSignIn: { ownLinkingDomains: ['github'] },
    })
    expect(config.externalSignIn.ownLinkingDomains).toEqual(['github'])
    expect(warnings).toEqual([
      'externalSignIn.ownLinkingDomains is deprecated, and acts until a later release: use externalSignIn.linkingDomains',
    ])
  })
})

describe('a configuration', () => {
  it('is filled in with defaults', () => {
    const config = resolve()
    expect(config).toMatchObject({
      siteUrl: 'https://app.example.com',
      externalUrl: 'https://app.example.com',
      basePath: '',
      development: false,
      logger: null,
      encryptionKeys: [],
      database: { schema: 'auth', namespace: '', maxPoolSize: 10, preparedStatements: true },
      server: { host: '', port: 8081, requestIdHeader: null, cors: { allowedHeaders: [] } },
      log: { level: 'info', file: null },
      passwords: {
        minLength: 6,
        requiredCharacters: [],
        argon2: { memoryKib: 19456, iterations: 2, parallelism: 1 },
      },
      security: {
        refreshTokens: { rotationEnabled: true, reuseIntervalSeconds: 10 },
        passwordUpdate: { requireReauthentication: false, requireCurrentPassword: false },
      },
      signUp: { disabled: false },
      email: { enabled: true, otpLifetimeSeconds: 86400, otpLength: 6, maxFrequencySeconds: null },
      phone: { enabled: false },
      sms: { autoconfirm: false, otpLifetimeSeconds: 60, otpLength: 6, provider: null },
    })
    expect(config.jwt).toEqual({
      rotation: { intervalSeconds: 2_592_000, overlapSeconds: 3600 },
      secrets: [secret],
      keys: null,
      keyId: null,
      lifetimeSeconds: 3600,
      audience: 'authenticated',
      signUpAudiences: [],
      issuer: null,
      adminRoles: ['service_role', 'svc_admin', 'supabase_admin'],
      defaultRole: 'authenticated',
      algorithm: 'RS256',
    })
  })

  it('names the methods that a logger lacks', () => {
    const logger = { info() {}, warn() {}, error() {} }

    expect(() => resolve({ logger: logger as never })).toThrow(
      /^ {2}logger\.debug must be a method\n {2}logger\.fatal must be a method$/m,
    )
    expect(() => resolve({ logger: true as never })).toThrow(
      /logger must be an object, .*, not true$/m,
    )
  })

  it('is frozen to the last leaf, but the logger is left alone', () => {
    const logger = { debug() {}, info() {}, warn() {}, error() {}, fatal() {} }
    const origins = ['https://docs.example.com']
    const config = resolve({ logger, redirects: { allowList: origins } })

    expect(Object.isFrozen(config)).toBe(true)
    expect(Object.isFrozen(config.providers.github)).toBe(true)
    expect(Object.isFrozen(config.rateLimits.emailSent)).toBe(true)
    expect(() => Object.assign(config.jwt.adminRoles, { 0: 'anybody' })).toThrow(TypeError)
    expect(Object.isFrozen(logger)).toBe(false)
    expect(Object.isFrozen(origins)).toBe(false)
  })

  it('does not change with what it was made from', () => {
    const roles = ['service_role']
    const config = resolve({ jwt: { secret, adminRoles: roles } })
    roles.push('anybody')
    expect(config.jwt.adminRoles).toEqual(['service_role'])
  })

  it('takes undefined and empty text for absent', () => {
    const config = resolve({ jwt: { secret, issuer: undefined, keyId: '' }, sessions: undefined })
    expect(config.jwt).toMatchObject({ issuer: null, keyId: null })
  })

  it('reports everything that is wrong, each on a line', () => {
    const wrong = {
      siteURL: 'https://app.example.com',
      jwt: { secret: 'hush', lifetimeSeconds: 'soon' },
      email: { autoconfirm: 'yes' },
    }
    expect(problemsOf(wrong)).toEqual({
      siteURL: 'is not a setting; did you mean siteUrl?',
      siteUrl: 'is required: the base URL of the application',
      'database.url': 'is required: postgres://user:password@host:5432/database',
      'jwt.secret': 'must have at least 32 bytes, and has 4',
      'jwt.lifetimeSeconds': expect.stringMatching(
        /^must be a whole number of seconds .*not "soon"$/,
      ),
      'email.autoconfirm': 'must be true or false, not "yes"',
    })
    expect(() => checkConfig(wrong as never)).toThrow(
      /^The configuration cannot be used:\n( {2}\S+ .+\n?){6}$/,
    )
  })

  it('reports keys that it does not know, with the nearest that it does', () => {
    expect(
      problemsWith({ emial: {}, providers: { githbu: {} }, sms: { twilio: { colour: 'red' } } }),
    ).toEqual({
      emial: 'is not a setting; did you mean email?',
      'providers.githbu': 'is not a setting; did you mean github?',
      'sms.twilio.colour': 'is not a setting',
    })
  })

  it('reports values of the wrong type, and not what follows from them', () => {
    expect(problemsWith({ email: true, database: 5, signUp: [], siteUrl: null })).toEqual({
      email: 'must be an object, not true',
      database: 'must be an object, not 5',
      signUp: 'must be an object, not a list',
      siteUrl: 'must be a URL such as https://app.example.com, not null',
    })
    expect(problemsOf(undefined)).toEqual({ config: 'must be an object' })
  })

  it('reads no key from a prototype', () => {
    const config = JSON.parse('{"__proto__": {"development": true}, "jwt": {"__proto__": []}}')
    expect(Object.keys(problemsOf({ ...minimal, ...config, email: config }))).not.toContain(
      'development',
    )
    expect(problemsOf(JSON.parse('{"__proto__": {"development": true}}'))).toHaveProperty('siteUrl')
  })

  it('never quotes a secret', () => {
    const planted = 'c4n4ry'
    const given = {
      ...minimal,
      database: `mysql://user:${planted}@host`,
      encryptionKey: planted,
      jwt: { secret: [planted, 7], keys: [{ kty: 'oct', k: planted, key_ops: ['sign'] }] },
      email: { smtp: `imap://user:${planted}@host`, from: planted },
      security: { captcha: { secret: `${planted}\0` } },
      sms: { testOtp: planted, twilio: { authToken: { planted } } },
      saml: { privateKey: `${planted}\0` },
      providers: { github: { clientSecret: `${planted}\n` } },
      hooks: { sendSms: { uri: `https://user:${planted}@host`, secrets: planted } },
      telemetry: { otlp: { headers: planted } },
    }
    const problems = problemsOf(given)
    expect(Object.keys(problems).length).toBeGreaterThanOrEqual(13)
    expect(JSON.stringify(problems)).not.toContain(planted)
  })
})

describe('what is required', () => {
  it('is a site, a database, a key and a way to send mail', () => {
    expect(problemsOf({})).toEqual({
      siteUrl: 'is required: the base URL of the application',
      'database.url': 'is required: postgres://user:password@host:5432/database',
      'jwt.secret': expect.stringMatching(/^is required: .* Or set encryptionKey, /),
      'email.smtp.host': expect.stringMatching(
        /^is required to send mail\. Or set hooks\.sendEmail/,
      ),
    })
  })

  it('is nothing in development', () => {
    const { config } = checkConfig({ development: true })
    expect(config).toMatchObject({
      siteUrl: 'http://127.0.0.1:8081/_latchkey/landed',
      externalUrl: 'http://127.0.0.1:8081',
      database: { url: null },
      // Nobody's address confirms itself: the development mailbox shows what was sent.
      email: { autoconfirm: false },
      sms: { autoconfirm: false },
    })
  })

  it('is what was given in development, where something was', () => {
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

  it('does not let development into production', () => {
    const path = { development: 'is refused under NODE_ENV=production' }
    expect(problemsOf({ development: true }, { production: true })).toEqual(path)
    expect(problemsOf(minimal, { production: true })).toEqual({})
  })

  it('leads the links of a mounted service to where it is mounted', () => {
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

  it('leads magic links where those of recovery lead, unless they have a path of their own', () => {
    const pathsWith = (urlPaths: Record<string, string>) =>
      resolve({ email: { autoconfirm: true, urlPaths } }).email.urlPaths

    expect(pathsWith({ recovery: '/reset' }).magicLink).toBe('/reset')
    expect(pathsWith({ recovery: '/reset', magicLink: '/in' }).magicLink).toBe('/in')
    expect(pathsWith({ magicLink: '/in' }).recovery).toBe('/verify')
  })

  it('warns of a path of the external URL that links would not keep, by the settings that keep it', () => {
    const warningsWith = (changes: AuthConfig) => checkConfig({ ...minimal, ...changes }).warnings
    const externalUrl = 'https://example.com/auth/'
    const paths = ['invite', 'confirmation', 'recovery', 'magicLink', 'emailChange'] as const
    const said =
      'externalUrl has the path /auth, and links in mails lead to https://example.com/verify without it: set '

    expect(warningsWith({ externalUrl })).toEqual([
      `${said}${paths.map((path) => `email.urlPaths.${path}`).join(', ')} to /auth/verify`,
    ])
    const urlPaths = Object.fromEntries(paths.map((path) => [path, '/auth/verify']))
    expect(warningsWith({ externalUrl, email: { autoconfirm: true, urlPaths } })).toEqual([])
    const { invite: _, ...others } = urlPaths
    expect(warningsWith({ externalUrl, email: { autoconfirm: true, urlPaths: others } })).toEqual([
      `${said}email.urlPaths.invite to /auth/verify`,
    ])
    expect(warningsWith({ externalUrl, basePath: '/auth' })).toEqual([])
    expect(warningsWith({ externalUrl: 'https://auth.example.com/' })).toEqual([])
  })

  it('asks which header tells clients apart, until that or the lack of a proxy is said', () => {
    const warningsWith = (header?: string) =>
      checkConfig({ ...minimal, rateLimits: { header } }).warnings

    expect(warningsWith()).toEqual([expect.stringMatching(/^rateLimits\.header is not set/)])
    expect(warningsWith('x-forwarded-for')).toEqual([])
    expect(warningsWith('Off')).toEqual([])
    expect(resolve({ rateLimits: { header: 'off' } }).rateLimits.header).toBeNull()
    expect(checkConfig({ development: true }).warnings).toEqual([])
  })

  it('derives the external URL from the site and the base path', () => {
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
  ])('refuses a site (%s) that ends with the base path (%s)', (siteUrl, basePath) => {
    expect(problemsWith({ siteUrl, basePath }).siteUrl).toMatch(
      /^ends with basePath, so that links would lead to .*\/auth\/auth: give .* without \/auth/,
    )
    const externalUrl = 'https://app.example.com/auth/auth'
    expect(problemsWith({ siteUrl, basePath, externalUrl })).toEqual({})
    expect(problemsWith({ siteUrl: 'https://app.example.com/oauth', basePath })).toEqual({})
  })

  it('accepts a secret, or a root with keys of its own or given ones', () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    const keys = [{ ...privateKey.export({ format: 'jwk' }), kid: 'one', key_ops: ['sign'] }]

    expect(problemsWith({ jwt: {}, encryptionKey: secret })).toEqual({})
    expect(problemsWith({ jwt: { keys }, encryptionKey: secret })).toEqual({})
    expect(problemsWith({ jwt: { keys, secret } })).toEqual({})
    expect(problemsWith({ jwt: { keys } })).toEqual({
      encryptionKey: 'is required beside jwt.keys: a secret of at least 32 bytes',
    })
    expect(problemsWith({ jwt: {} })).toHaveProperty(['jwt.secret'])
  })

  it('accepts any way to send mail, or none where none is sent', () => {
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

  it('is PostgreSQL', () => {
    expect(problemsWith({ database: 'mysql://localhost/app' })).toEqual({
      'database.url': 'must be a URL such as postgres://user:password@host:5432/database',
    })
    expect(problemsWith({ database: { url: minimal.database, driver: 'mysql' } })).toEqual({
      'database.driver': 'must be "postgres", not "mysql"',
    })
  })
})

describe('what is half given', () => {
  it('names the parts that a mail server lacks', () => {
    expect(
      problemsWith({ email: { autoconfirm: true, smtp: { host: 'mail', user: 'auth' } } }),
    ).toEqual({
      'email.smtp.port': 'is required to send mail by SMTP',
      'email.smtp.pass': 'is required to send mail by SMTP',
      'email.from.address': 'is required to send mail by SMTP',
    })
  })

  it('names what an enabled provider lacks', () => {
    expect(problemsWith({ providers: { keycloak: { clientId: 'app' }, github: {} } })).toEqual({
      'providers.keycloak.clientSecret': 'is required because keycloak is enabled',
      'providers.keycloak.url': 'is required because keycloak is enabled',
      'providers.github.clientId': 'is required because github is enabled',
      'providers.github.clientSecret': 'is required because github is enabled',
    })
    expect(problemsWith({ providers: { github: { enabled: false } } })).toEqual({})
    expect(problemsWith({ providers: { github: { clientId: ',', clientSecret: 's' } } })).toEqual({
      'providers.github.clientId': 'is required because github is enabled',
    })
  })

  it('says of no setting of id tokens that it has no effect', () => {
    const { config, warnings } = checkConfig({
      ...minimal,
      providers: { google: { clientId: 'app', clientSecret: 's', skipNonceCheck: true } },
      externalSignIn: { iosBundleId: 'com.example.app' },
    })
    expect(warnings.filter((warning) => warning.includes('no effect'))).toEqual([])
    expect(config.providers.google.skipNonceCheck).toBe(true)
  })

  it('takes the signed secret of Apple or all of the key that signs it', () => {
    const apple = { clientId: 'com.example.web' }
    const privateKey = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      .privateKey.export({ type: 'pkcs8', format: 'pem' })
      .toString()
    const whole = { ...apple, teamId: 'A1B2C3D4E5', keyId: 'F6G7H8I9J0', privateKey }
    const required = 'is required: client secrets are signed with all three'

    expect(problemsWith({ providers: { apple: { ...apple, clientSecret: 'signed' } } })).toEqual({})
    expect(problemsWith({ providers: { apple: whole } })).toEqual({})
    expect(problemsWith({ providers: { apple: { ...apple, teamId: 'A1B2C3D4E5' } } })).toEqual({
      'providers.apple.keyId': required,
      'providers.apple.privateKey': required,
    })
    expect(problemsWith({ providers: { apple: { ...whole, clientSecret: 'signed' } } })).toEqual({
      'providers.apple.clientSecret': 'is signed with the key already: leave one of them out',
    })
  })

  it('names what enabled SAML or an enabled hook lacks', () => {
    expect(
      problemsWith({
        saml: { enabled: true },
        hooks: { sendSms: {} },
      }),
    ).toEqual({
      'saml.privateKey': 'is required because SAML is enabled',
      'hooks.sendSms.uri': 'is required because the hook is enabled',
    })
  })

  it('refuses hashes with less memory than their lanes need', () => {
    expect(problemsWith({ passwords: { argon2: { memoryKib: 16, parallelism: 4 } } })).toEqual({
      'passwords.argon2.memoryKib': 'must be at least 32, 8 for each of 4 lanes',
    })
  })

  it('only warns of SMS that cannot be sent', () => {
    const warningsOf = (changes: AuthConfig) => checkConfig({ ...minimal, ...changes }).warnings
    expect(warningsOf({ phone: { enabled: true } })).toEqual([
      'sms.provider is missing: without a carrier, or hooks.sendSms, no code can be sent',
    ])
    expect(warningsOf({ phone: { enabled: true }, hooks: { sendSms: () => ({}) } })).toEqual([])
    expect(warningsOf({ mfa: { phone: { verifyEnabled: true } } })).toHaveLength(1)
    expect(
      warningsOf({ sms: { provider: 'vonage', vonage: { apiKey: 'key', from: 'Acme' } } }),
    ).toEqual(['sms.vonage.apiSecret is missing: vonage cannot send messages without it'])
    expect(
      warningsOf({ phone: { enabled: true }, sms: { provider: 'vonage', send: () => {} } }),
    ).toEqual([])
  })
})

describe('what nobody can have meant', () => {
  it.each([
    ['jwt.lifetimeSeconds', { jwt: { secret: secret, lifetimeSeconds: -5 } }],
    ['email.otpLifetimeSeconds', { email: { autoconfirm: true, otpLifetimeSeconds: '-1s' } }],
    ['email.otpLength', { email: { autoconfirm: true, otpLength: -6 } }],
    ['passwords.minLength', { passwords: { minLength: -1 } }],
    ['mfa.challengeExpirySeconds', { mfa: { challengeExpirySeconds: -300 } }],
    ['security.captcha.timeoutSeconds', { security: { captcha: { secret, timeoutSeconds: -1 } } }],
  ])('H35: refuses a number below zero: %s', (path, changes) => {
    expect(Object.keys(problemsWith(changes))).toEqual([path])
  })

  it('warns about a hook whose requests nobody can verify', () => {
    const warningsWith = (sendSms: HookConfig) =>
      checkConfig({ ...minimal, hooks: { sendSms } }).warnings
    expect(warningsWith({ uri: 'https://hooks.example.com' })).toEqual([
      expect.stringMatching(/^hooks\.sendSms\.secrets is not given: .* not signed/),
    ])
    expect(warningsWith({ uri: 'https://hooks.example.com', enabled: false })).toEqual([])
    expect(warningsWith({ uri: 'pg-functions://postgres/app/send_sms' })).toEqual([])
  })

  it('refuses a least length that no password can have', () => {
    expect(problemsWith({ passwords: { minLength: 1024 } })).toEqual({})
    expect(problemsWith({ passwords: { minLength: 1025 } })).toEqual({
      'passwords.minLength': 'must be 1024 at most: longer passwords are refused',
    })
  })

  it('H35: warns of a secret that is long and easy to guess', () => {
    const warningsWith = (given: string | string[]) =>
      checkConfig({ ...minimal, jwt: { secret: given } }).warnings
    for (const weak of [
      'a'.repeat(32),
      'secret-'.repeat(6),
      '12345678901234567890123456789012',
      'your-super-secret-jwt-token-with-at-least-32-characters-long',
      'please change me: at least 32 characters long',
    ]) {
      expect(warningsWith(weak)).toEqual([expect.stringMatching(/^jwt\.secret .*easy to guess/)])
      expect(warningsWith(weak)[0]).not.toContain(weak)
    }
    expect(warningsWith([secret, 'b'.repeat(40)])).toHaveLength(1)
    expect(checkConfig({ ...minimal, encryptionKey: 'x'.repeat(32) }).warnings).toHaveLength(1)
    const k = Buffer.alloc(32, 'k').toString('base64url')
    const keys = [{ kty: 'oct' as const, k, key_ops: ['sign', 'verify'] }]
    expect(checkConfig({ ...minimal, jwt: { secret, keys } }).warnings).toEqual([
      expect.stringMatching(/^jwt\.keys .*easy to guess/),
    ])
    const secrets = `v1,whsec_${Buffer.alloc(32, 's').toString('base64')}`
    const sendSms = { uri: 'https://hooks.example.com', secrets }
    expect(checkConfig({ ...minimal, hooks: { sendSms } }).warnings).toEqual([
      expect.stringMatching(/^hooks\.sendSms\.secrets .*easy to guess/),
    ])
    // Made by chance: hexadecimal, base64.
    expect(warningsWith('3b7c0f0c55b7c5dd8e6a2f1b9d04e7a1')).toEqual([])
    expect(warningsWith('q0Yb2Vt3b5m8x1o5s9Zr4q7w2e6u0i3pHc8dJfK1LgM=')).toEqual([])
  })
})

describe('short forms', () => {
  it('take a sender and a mail server apart', () => {
    const { email } = resolve({
      email: { from: '"Acme Mail" <no-reply@example.com>', smtp: 'smtps://auth:p%40ss@mail.test' },
    })
    expect(email.from).toEqual({ name: 'Acme Mail', address: 'no-reply@example.com' })
    expect(email.smtp).toMatchObject({ host: 'mail.test', port: 465, user: 'auth', pass: 'p@ss' })
    expect(
      resolve({ email: { from: 'a@example.com', smtp: 'smtps://mail.test:2465' } }).email.smtp,
    ).toMatchObject({ port: 2465, implicitTls: true })
    expect(
      resolve({ email: { from: 'a@example.com', smtp: 'smtp://mail.test' } }).email.smtp,
    ).toMatchObject({ port: 587, implicitTls: null })
    expect(
      resolve({ email: { autoconfirm: true, from: 'no-reply@example.com' } }).email.from,
    ).toEqual({ name: null, address: 'no-reply@example.com' })
    expect(problemsWith({ email: { from: 'nobody', smtp: 'mail.test:25' } })).toEqual({
      'email.from': 'must be a sender such as Acme <no-reply@example.com>',
      'email.smtp': 'must be a URL such as smtps://user:password@host:465',
    })
  })

  it('switch on the provider or hook that they name', () => {
    const run = () => ({})
    const config = resolve({
      providers: { github: { clientId: 'web, app', clientSecret: 's' } },
      hooks: { afterUserCreated: run, sendSms: { enabled: false, uri: 'https://x.test/sms' } },
    })
    expect(config.providers.github).toMatchObject({
      enabled: true,
      clientIds: ['web', 'app'],
      redirectUri: 'https://app.example.com/callback',
    })
    expect(config.providers.gitlab.enabled).toBe(false)
    expect(config.hooks.afterUserCreated).toEqual({ enabled: true, uri: null, secrets: [], run })
    expect(config.hooks.sendSms.enabled).toBe(false)
  })
})

describe('the time after which anonymous users are deleted', () => {
  const path = 'anonymousUsers.staleAfterSeconds'
  const problemsAfter = (staleAfterSeconds: unknown) =>
    problemsWith({ anonymousUsers: { staleAfterSeconds } })

  it('is a day at least, or none', () => {
    expect(problemsAfter(3600)).toEqual({
      [path]: 'must be 24h at least, or 0, which deletes nobody',
    })
    expect([problemsAfter('24h'), problemsAfter(0), problemsAfter('720h')]).toEqual([{}, {}, {}])
    expect(resolve().anonymousUsers).toEqual({ enabled: false, staleAfterSeconds: 0 })
  })
})

describe('how long a device is trusted', () => {
  const path = 'mfa.trustedDevices.expirySeconds'
  const problemsAfter = (expirySeconds: unknown) =>
    problemsWith({ mfa: { trustedDevices: { enabled: true, expirySeconds } } } as AuthConfig)

  it('is a minute to 400 days', () => {
    for (const wrong of [59, '59s', 0, -60, 34_560_001, '9601h', Number.NaN, 'month']) {
      expect(Object.keys(problemsAfter(wrong)), String(wrong)).toEqual([path])
    }
    for (const right of [60, '1m', 34_560_000, '9600h']) expect(problemsAfter(right)).toEqual({})
  })
})

describe('the relying party of passkeys and security keys', () => {
  const passkeys = { enabled: true }

  it.each([
    ['https://app.example.com', 'app.example.com', 'https://app.example.com'],
    ['https://app.example.com:8443/shop', 'app.example.com', 'https://app.example.com:8443'],
    ['http://127.0.0.1:3000', 'localhost', 'http://localhost:3000'],
    ['http://[::1]:3000', 'localhost', 'http://localhost:3000'],
    ['http://app.localhost', 'app.localhost', 'http://app.localhost'],
  ])('is the site, %s, unless somebody says otherwise', (siteUrl, rpId, origin) => {
    expect(resolve({ siteUrl, passkeys }).webAuthn).toEqual({
      rpId,
      rpDisplayName: rpId,
      rpOrigins: [origin],
      challengeExpirySeconds: 300,
    })
  })

  it('is what was given, in the spelling of browsers', () => {
    const rpOrigins = ['https://Shop.Example.com:443/', 'android:apk-key-hash:Ab-_1']
    const webAuthn = { rpId: 'Example.com', rpDisplayName: 'Acme', rpOrigins }

    expect(resolve({ passkeys, webAuthn }).webAuthn).toMatchObject({
      rpId: 'example.com',
      rpDisplayName: 'Acme',
      rpOrigins: ['https://shop.example.com', 'android:apk-key-hash:Ab-_1'],
    })
  })

  it.each<[string, AuthConfig, string]>([
    ['a site without a host', { siteUrl: 'myapp://home' }, 'webAuthn.rpId'],
    ['an address for a site', { siteUrl: 'https://192.0.2.7' }, 'webAuthn.rpId'],
    ['an address', { webAuthn: { rpId: '192.0.2.7' } }, 'webAuthn.rpId'],
    ['a URL', { webAuthn: { rpId: 'https://example.com' } }, 'webAuthn.rpId'],
    ['a domain that is not the site’s', { webAuthn: { rpId: 'other.com' } }, 'webAuthn.rpOrigins'],
    ['a longer name', { webAuthn: { rpId: 'ple.com' } }, 'webAuthn.rpOrigins'],
    [
      'an app without origins',
      { siteUrl: 'myapp://home', webAuthn: { rpId: 'example.com' } },
      'webAuthn.rpOrigins',
    ],
    [
      'an origin elsewhere',
      { webAuthn: { rpOrigins: ['https://example.com'] } },
      'webAuthn.rpOrigins',
    ],
    [
      'an origin without TLS',
      { webAuthn: { rpOrigins: ['http://app.example.com'] } },
      'webAuthn.rpOrigins',
    ],
  ])('is refused for %s', (_, changes, path) => {
    const externalUrl = 'https://auth.example.com'

    expect(Object.keys(problemsWith({ externalUrl, passkeys, ...changes }))).toEqual([path])
    for (const use of ['enrollEnabled', 'verifyEnabled'] as const) {
      const mfa = { webAuthn: { [use]: true } }
      expect(Object.keys(problemsWith({ externalUrl, mfa, ...changes }))).toEqual([path])
    }
  })

  it('is refused with an origin that has a path', () => {
    const webAuthn = { rpOrigins: ['https://app.example.com/login'] }

    expect(problemsWith({ passkeys, webAuthn })).toEqual({
      'webAuthn.rpOrigins[0]': 'must be an origin such as https://app.example.com, without a path',
    })
  })

  it('is not asked for by sign-ups with passkeys that are off, which are refused', () => {
    expect(problemsWith({ passkeys: { signUpEnabled: true } })).toEqual({
      'passkeys.signUpEnabled': 'does nothing while passkeys are off',
    })
  })

  it('does not matter where neither is on', () => {
    expect(problemsWith({ siteUrl: 'https://192.0.2.7' })).toEqual({})
  })
})
