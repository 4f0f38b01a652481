import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  minimal,
  problemsOf,
  problemsWith,
  resolve,
  secret,
} from '../../../test/support/config-problems.ts'
import { ConfigError } from '../errors/start-errors.ts'
import { checkConfig } from './check-config.ts'
import type { AuthConfig } from './config.ts'
import type { HookConfig } from './sections/hooks.ts'

describe('a deprecated setting', () => {
  it('has an effect, and one warning that names its replacement', () => {
    const { config, warnings } = checkConfig({
      ...minimal,
      externalSignIn: { ownLinkingDomains: ['github'] },
    })
    expect(config.externalSignIn.ownLinkingDomains).toEqual(['github'])
    expect(warnings).toEqual([
      'externalSignIn.ownLinkingDomains is deprecated and will be removed in a later release: use externalSignIn.linkingDomains',
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
      /^ {2}logger\.debug must be a method$/m,
    )
    expect(() => resolve({ logger: true as never })).toThrow(
      /logger must be an object, .*, not true$/m,
    )
  })

  it('rejects a logger whose fatal is no method', () => {
    const logger = { debug() {}, info() {}, warn() {}, error() {}, fatal: true }

    expect(() => resolve({ logger: logger as never })).toThrow(
      /^ {2}logger\.fatal must be a method$/m,
    )
    expect(resolve({ logger: { ...logger, fatal: undefined } as never }).logger).toBeTruthy()
  })

  it('accepts a logger without fatal, such as console, whose error is called instead', () => {
    const lines: unknown[] = []
    const logger = {
      debug() {},
      info() {},
      warn() {},
      error: (...line: unknown[]) => lines.push(line),
    }

    resolve({ logger }).logger?.fatal({ port: 1 }, 'ended')

    expect(lines).toEqual([[{ port: 1 }, 'ended']])
    expect(resolve({ logger: console }).logger).toBeTruthy()
  })

  it('is frozen deeply, except the logger', () => {
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

  it('does not change with the object that it was made from', () => {
    const roles = ['service_role']
    const config = resolve({ jwt: { secret, adminRoles: roles } })
    roles.push('anybody')
    expect(config.jwt.adminRoles).toEqual(['service_role'])
  })

  it('treats undefined and empty text as absent', () => {
    const config = resolve({ jwt: { secret, issuer: undefined, keyId: '' }, sessions: undefined })
    expect(config.jwt).toMatchObject({ issuer: null, keyId: null })
  })

  it('reports all problems, one per line', () => {
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

  it('reports unknown keys, with the most similar known one', () => {
    expect(
      problemsWith({ emial: {}, providers: { githbu: {} }, sms: { twilio: { colour: 'red' } } }),
    ).toEqual({
      emial: 'is not a setting; did you mean email?',
      'providers.githbu': 'is not a setting; did you mean github?',
      'sms.twilio.colour': 'is not a setting',
    })
  })

  it('reports values of the wrong type, but not their consequences', () => {
    expect(problemsWith({ email: true, database: 5, signUp: [], siteUrl: null })).toEqual({
      email: 'must be an object, not true',
      database: 'must be an object, not 5',
      signUp: 'must be an object, not a list',
      siteUrl: 'must be a URL such as https://app.example.com, not null',
    })
    expect(problemsWith({ hooks: { events: 5 } })).toEqual({
      'hooks.events': 'must be a function, or an object with uri, not 5',
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

describe('values that are mistakes', () => {
  it.each([
    ['jwt.lifetimeSeconds', { jwt: { secret: secret, lifetimeSeconds: -5 } }],
    ['email.otpLifetimeSeconds', { email: { autoconfirm: true, otpLifetimeSeconds: '-1s' } }],
    ['email.otpLength', { email: { autoconfirm: true, otpLength: -6 } }],
    ['passwords.minLength', { passwords: { minLength: -1 } }],
    ['mfa.challengeExpirySeconds', { mfa: { challengeExpirySeconds: -300 } }],
    ['security.captcha.timeoutSeconds', { security: { captcha: { secret, timeoutSeconds: -1 } } }],
  ])('H35: rejects a number below zero: %s', (path, changes) => {
    expect(Object.keys(problemsWith(changes))).toEqual([path])
  })

  it('warns about a hook whose requests cannot be verified', () => {
    const warningsWith = (sendSms: HookConfig) =>
      checkConfig({ ...minimal, hooks: { sendSms } }).warnings
    expect(warningsWith({ uri: 'https://hooks.example.com' })).toEqual([
      expect.stringMatching(/^hooks\.sendSms\.secrets is not set: .* not signed/),
    ])
    expect(warningsWith({ uri: 'https://hooks.example.com', enabled: false })).toEqual([])
    expect(warningsWith({ uri: 'pg-functions://postgres/app/send_sms' })).toEqual([])
  })

  it('rejects a minimum length that no password can have', () => {
    expect(problemsWith({ passwords: { minLength: 1024 } })).toEqual({})
    expect(problemsWith({ passwords: { minLength: 1025 } })).toEqual({
      'passwords.minLength': 'must be at most 1024: longer passwords are rejected',
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
      'my-secret-key-0123456789-abcdefghij',
      'INSECURE_DEFAULT_KEY_OF_THE_COMPOSE_FILE',
      'for development: do not use in production',
      // S46: an example of GoTrue.
      '37c304f8-51aa-419a-a1af-06154e63707a',
      'abcdefghijklmnopqrstuvwxyzABCDEFGH',
      // S46: a placeholder that a shell or template did not replace.
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell was to fill it in
      '${AUTH_JWT_SECRET:?must be given by compose}',
      '$(openssl rand -base64 32)-of-the-shell',
      '{{ .Values.auth.jwtSecret | quote }}',
      '<output of openssl rand -base64 32>',
      // S46: a public key.
      '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7',
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
    // Random values: hexadecimal, base64.
    expect(warningsWith('3b7c0f0c55b7c5dd8e6a2f1b9d04e7a1')).toEqual([])
    expect(warningsWith('q0Yb2Vt3b5m8x1o5s9Zr4q7w2e6u0i3pHc8dJfK1LgM=')).toEqual([])
    // Random text and bytes with a part of a placeholder.
    for (const random of [
      'f"R<k8!v)Zq0>wX{{3@pL$(n7;Hd/T${c',
      'a<b>c{{e}}$(f)<GhIjKlMnOpQrStUvWx>',
    ])
      expect(warningsWith(random)).toEqual([])
  })

  it('H35: warns of no random key', () => {
    const k = (place: number) => createHash('sha256').update(`${place}`).digest('base64url')
    const keys = Array.from({ length: 2000 }, (_, place) => ({
      kty: 'oct' as const,
      kid: `${place}`,
      k: k(place),
      key_ops: place === 0 ? ['sign', 'verify'] : ['verify'],
    }))
    expect(checkConfig({ ...minimal, encryptionKey: secret, jwt: { keys } }).warnings).toEqual([])
  })

  it('S46: rejects such secrets in production', () => {
    const problems = (given: AuthConfig): string[] => {
      try {
        checkConfig({ ...minimal, ...given }, { production: true })
        return []
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error
        expect(error.message).not.toContain('super-secret')
        return error.problems.map(({ path, message }) => `${path} ${message}`)
      }
    }
    const weak = 'your-super-secret-jwt-token-with-at-least-32-characters-long'
    const k = Buffer.from(weak).toString('base64url')
    const secrets = `v1,whsec_${Buffer.alloc(32, 's').toString('base64')}`

    expect(problems({})).toEqual([])
    expect(
      problems({
        encryptionKey: [secret, weak],
        jwt: { secret: weak, keys: [{ kty: 'oct', k, key_ops: ['sign', 'verify'] }] },
        hooks: { sendSms: { uri: 'https://hooks.example.com', secrets } },
      }),
    ).toEqual(
      ['encryptionKey', 'jwt.secret', 'jwt.keys', 'hooks.sendSms.secrets'].map((path) =>
        expect.stringMatching(new RegExp(`^${path} is long but easy to guess`)),
      ),
    )
  })
})

describe('short forms', () => {
  it('parse a sender and a mail server into their parts', () => {
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

  it('enable the provider or hook that they name', () => {
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

  it('is at least a day, or none', () => {
    expect(problemsAfter(3600)).toEqual({
      [path]: 'must be at least 24h, or 0 to delete no users',
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
