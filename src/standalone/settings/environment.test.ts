import { describe, expect, it } from 'vitest'
import { checkConfig } from '../../platform/config/check-config.ts'
import { ConfigError } from '../../platform/errors/start-errors.ts'
import { checkEnvironment, examineEnvironment, readEnvironment } from './environment.ts'
import type { Environment } from './environment-remarks.ts'

const secret = 'a-secret-of-more-than-thirty-two-bytes'

/** The fewest settings that a server needs. */
const minimal: Environment = {
  AUTH_SITE_URL: 'https://app.example.com',
  AUTH_API_EXTERNAL_URL: 'https://auth.example.com/',
  AUTH_DATABASE_URL: 'postgres://user:hunter2@db.example.com/app',
  AUTH_JWT_SECRET: secret,
  AUTH_MAILER_AUTOCONFIRM: 'true',
  AUTH_RATE_LIMIT_HEADER: 'off',
}

const resolve = (changes: Environment = {}) => checkEnvironment({ ...minimal, ...changes }).resolved

function problemsOf(env: Environment, options?: { development: boolean }): Record<string, string> {
  try {
    checkEnvironment(env, options)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return Object.fromEntries(error.problems.map(({ path, message }) => [path, message]))
  }
  return {}
}

const problemsWith = (changes: Environment) => problemsOf({ ...minimal, ...changes })

describe('an environment', () => {
  it('has the same result as the configuration in code', () => {
    const { config, problems, remarks } = readEnvironment({
      ...minimal,
      AUTH_JWT_EXP: '15m',
      AUTH_JWT_ADMIN_ROLES: 'service_role, admin',
      AUTH_PASSWORD_REQUIRED_CHARACTERS: 'abc:0123:!\\:-',
      AUTH_SMTP_HEADERS: '{"X-Team": ["auth"]}',
      AUTH_API_PORT: '9000',
    })
    expect({ problems, remarks }).toEqual({ problems: [], remarks: [] })
    expect(config).toEqual({
      siteUrl: 'https://app.example.com',
      externalUrl: 'https://auth.example.com/',
      server: { port: 9000 },
      database: { url: 'postgres://user:hunter2@db.example.com/app' },
      jwt: { secret, lifetimeSeconds: '15m', adminRoles: ['service_role', 'admin'] },
      passwords: { requiredCharacters: ['abc', '0123', '!:-'] },
      email: { autoconfirm: true, smtp: { headers: { 'X-Team': ['auth'] } } },
      rateLimits: { header: 'off' },
    })
    expect(checkConfig(config).config.jwt.lifetimeSeconds).toBe(900)
  })

  it('ignores OpenTelemetry values that it does not support, with a warning, and uses the default', () => {
    const { resolved, warnings } = checkEnvironment({
      ...minimal,
      OTEL_TRACES_SAMPLER: 'jaeger_remote',
      OTEL_TRACES_SAMPLER_ARG: 'endpoint=http://localhost:14250',
    })
    expect(resolved.telemetry.tracing).toMatchObject({
      sampler: 'parentbased_always_on',
      samplerRatio: 1,
    })
    expect(warnings.filter((warning) => warning.includes('SAMPLER'))).toEqual([
      expect.stringContaining('parentbased_always_on is used instead of "jaeger_remote"'),
      expect.stringContaining('must be a number from 0 to 1: 1 is used instead of "endpoint='),
      expect.stringContaining('has no effect'),
    ])
  })

  it('uses the default for an empty ratio of traces', () => {
    const env = { AUTH_OTEL_TRACES_SAMPLER_ARG: '', OTEL_TRACES_SAMPLER_ARG: '0.1' }
    const { tracing } = resolve({ ...env, OTEL_TRACES_SAMPLER: 'traceidratio' }).telemetry
    expect(tracing).toMatchObject({ sampler: 'traceidratio', samplerRatio: 0.1 })
  })

  it('has the same resolved configuration as the equivalent in code', () => {
    const { config, resolved } = checkEnvironment(minimal)
    expect(checkConfig(config).config).toEqual(resolved)
  })

  it.each(['"admin"', "'admin'", ' "admin" '])(
    'S54: warns of quotes around a value: %s',
    (roles) => {
      const { warnings } = checkEnvironment({ ...minimal, AUTH_JWT_ADMIN_ROLES: roles })

      expect(warnings).toEqual([expect.stringMatching(/^AUTH_JWT_ADMIN_ROLES is in quotes/)])
      const subject = { AUTH_MAILER_SUBJECTS_INVITE: '"Hello"' }
      expect(checkEnvironment({ ...minimal, ...subject }).warnings).toEqual([])
    },
  )

  it('S29 remarks on a setting that has another value under a second name', () => {
    const env = { AUTH_DISABLE_SIGNUP: 'false', GOTRUE_DISABLE_SIGNUP: 'true' }

    expect(readEnvironment(env).remarks).toContain(
      'GOTRUE_DISABLE_SIGNUP has no effect: AUTH_DISABLE_SIGNUP has another value',
    )
    const same = readEnvironment({ ...env, GOTRUE_DISABLE_SIGNUP: 'false' })
    expect(same.remarks.join()).not.toContain('another value')
  })

  it.each(['production', 'Production', ' production\n'])(
    'S29 rejects development and weak hashes where NODE_ENV is %j',
    (nodeEnv) => {
      const env = { NODE_ENV: nodeEnv, AUTH_PASSWORD_HASH_MEMORY_KIB: '8' }
      const { problems } = examineEnvironment(env, { development: true })

      expect(problems.map(({ path }) => path)).toEqual(
        expect.arrayContaining(['development', 'AUTH_PASSWORD_HASH_MEMORY_KIB']),
      )
    },
  )

  it.each([
    'AUTH_HOOK_BEFORE_USER_CREATE_ENABLED',
    'GOTRUE_HOOK_BEFORE_USER_CREATE_ENABLED',
    'auth_hook_before_user_created_enabled',
    'AUTH_HOOK_BEFORE_USER_CREATED_ENABLE',
    'AUTH_SECURITY_CAPTCHA_ENABLE',
  ])('S41: rejects %s, which would leave a protection off', (name) => {
    expect(Object.keys(problemsWith({ [name]: 'true' }))).toEqual([name])
    expect(problemsWith({ [name]: 'true' })[name]).toMatch(
      /^is not a setting; did you mean AUTH_(?:HOOK_BEFORE_USER_CREATED|SECURITY_CAPTCHA)_ENABLED\?$/,
    )
    expect(readEnvironment({ ...minimal, [name]: 'true' }).remarks).toEqual([])
    expect(problemsWith({ [name]: 'false' })).toEqual({})
  })

  it('names some settings without a prefix, which the prefixed name beats', () => {
    const bare = { PORT: '9001', LOG_LEVEL: 'debug', DATABASE_URL: 'postgres://bare/app' }
    expect(resolve({ ...bare, AUTH_DATABASE_URL: undefined })).toMatchObject({
      server: { port: 9001 },
      log: { level: 'debug' },
      database: { url: 'postgres://bare/app' },
    })
    expect(resolve({ ...bare, AUTH_PORT: '9002', AUTH_LOG_LEVEL: 'WARNING' })).toMatchObject({
      server: { port: 9002 },
      log: { level: 'warn' },
      database: { url: minimal.AUTH_DATABASE_URL },
    })
    expect(resolve({ SITE_URL: 'https://other.example.com' }).siteUrl).toBe(minimal.AUTH_SITE_URL)
    const rpId = (env: object) => resolve({ RP_ID: 'example.com', ...env }).webAuthn.rpId
    expect([rpId({}), rpId({ AUTH_WEBAUTHN_RP_ID: 'a.example.com' })]).toEqual([
      'example.com',
      'a.example.com',
    ])
  })

  it('accepts the other spellings of a name', () => {
    expect(resolve({ AUTH_SECURITY_SB_FORWARDED_FOR_ENABLED: '1' }).security).toMatchObject({
      svcForwardedForEnabled: true,
    })
    expect(
      resolve({ AUTH_MAILER_SUBJECTS_EMAIL_CHANGED_NOTIFICATION: 'Changed' }).email.subjects,
    ).toMatchObject({ emailChanged: 'Changed' })
  })

  it('treats empty texts as absent, and rejects empty numbers and booleans', () => {
    expect(
      resolve({ AUTH_JWT_AUD: '', AUTH_JWT_ADMIN_ROLES: '', AUTH_SMS_PROVIDER: '' }),
    ).toMatchObject({
      jwt: {
        audience: 'authenticated',
        adminRoles: ['service_role', 'svc_admin', 'supabase_admin'],
      },
      sms: { provider: null },
    })
    expect(problemsWith({ AUTH_DISABLE_SIGNUP: '', AUTH_JWT_EXP: '' })).toEqual({
      AUTH_DISABLE_SIGNUP: 'must be true or false, not ""',
      AUTH_JWT_EXP: expect.stringMatching(/^must be a whole number of seconds/),
    })
  })

  it('enables providers and hooks by their switches, not by naming them', () => {
    const named = {
      AUTH_EXTERNAL_GITHUB_CLIENT_ID: 'web,app',
      AUTH_HOOK_SEND_SMS_URI: 'https://hooks.example.com/sms',
    }
    expect(resolve(named).providers.github).toMatchObject({
      enabled: false,
      clientIds: ['web', 'app'],
    })
    expect(resolve(named).hooks.sendSms.enabled).toBe(false)
    expect(resolve({ ...named, AUTH_HOOK_SEND_SMS_ENABLED: 'true' }).hooks.sendSms.enabled).toBe(
      true,
    )
  })

  it('reads several hook secrets', () => {
    const one = `v1,whsec_${Buffer.alloc(32, 1).toString('base64')}`
    const two = `v1,whsec_${Buffer.alloc(32, 2).toString('base64')}`
    const { hooks } = resolve({ AUTH_HOOK_SEND_EMAIL_SECRETS: `${one}|${two}` })
    expect(hooks.sendEmail.secrets).toEqual([one, two])
  })

  it('reports all problems by the names that were used', () => {
    expect(
      problemsOf({
        AUTH_PORT: 'http',
        AUTH_JWT_SECRET: 'c4n4ry',
        GOTRUE_JWT_EXP: 'soon',
        LOG_LEVEL: 'loud',
        AUTH_EXTERNAL_KEYCLOAK_ENABLED: 'true',
        AUTH_SMTP_HOST: 'mail.example.com',
        AUTH_DB_DRIVER: 'mysql',
      }),
    ).toEqual({
      AUTH_PORT: 'must be a whole number from 0 to 65535, not "http"',
      AUTH_JWT_SECRET: 'must have at least 32 bytes, and has 6',
      GOTRUE_JWT_EXP: expect.stringMatching(/not "soon"$/),
      LOG_LEVEL: 'must be one of panic, fatal, error, warn, info, debug, not "loud"',
      AUTH_DB_DRIVER: 'must be "postgres", not "mysql"',
      AUTH_SITE_URL: 'is required: the base URL of the application',
      AUTH_API_EXTERNAL_URL: 'is required: the URL under which clients reach the service',
      AUTH_DATABASE_URL: 'is required: postgres://user:password@host:5432/database',
      AUTH_SMTP_PORT: 'is required to send mail by SMTP',
      AUTH_SMTP_ADMIN_EMAIL: 'is required to send mail by SMTP',
      AUTH_EXTERNAL_KEYCLOAK_CLIENT_ID: 'is required because keycloak is enabled',
      AUTH_EXTERNAL_KEYCLOAK_SECRET: 'is required because keycloak is enabled',
      AUTH_EXTERNAL_KEYCLOAK_REDIRECT_URI: 'is required because keycloak is enabled',
      AUTH_EXTERNAL_KEYCLOAK_URL: 'is required because keycloak is enabled',
    })
  })

  it('names settings in remedies as the environment does', () => {
    const problems = problemsOf({})
    expect(problems.AUTH_JWT_SECRET).toMatch(/ Or set AUTH_ENCRYPTION_KEY, /)
    expect(problems.AUTH_SMTP_HOST).toMatch(/AUTH_HOOK_SEND_EMAIL_ENABLED.*AUTH_MAILER_AUTOCONFIRM/)
    expect(checkEnvironment({ ...minimal, AUTH_PASSWORD_MIN_LENGTH: '4' }).warnings).toEqual([
      'AUTH_PASSWORD_MIN_LENGTH must be a whole number of at least 6: 6 is used instead of 4',
    ])
  })

  it('does not report a malformed setting as missing', () => {
    expect(problemsWith({ AUTH_JWT_SECRET: undefined, AUTH_JWT_KEYS: '{' })).toEqual({
      AUTH_JWT_KEYS: 'must be JSON: an array of keys',
      AUTH_ENCRYPTION_KEY:
        'is required in addition to AUTH_JWT_KEYS: a secret of at least 32 bytes',
    })
    expect(problemsWith({ AUTH_SITE_URL: 'nowhere', AUTH_DATABASE_URL: 'mysql://x' })).toEqual({
      AUTH_SITE_URL: 'must be a URL such as https://app.example.com, not "nowhere"',
      AUTH_DATABASE_URL: 'must be a URL such as postgres://user:password@host:5432/database',
    })
  })

  it('needs no setting in development, and rejects development values in production', () => {
    const { config, resolved } = checkEnvironment({}, { development: true })
    expect(config).toEqual({ development: true })
    expect(resolved.externalUrl).toBe('http://127.0.0.1:8081')
    expect(problemsOf({ NODE_ENV: 'production' }, { development: true })).toEqual({
      development:
        'is not permitted under NODE_ENV=production: remove it, or unset NODE_ENV on a machine of a developer',
    })
  })
})

describe('remarks on an environment', () => {
  const remarksOf = (env: Environment) => readEnvironment(env).remarks

  it('S99: include a variable by which no certificate is verified', () => {
    expect(remarksOf({ NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toEqual([
      expect.stringMatching(/^NODE_TLS_REJECT_UNAUTHORIZED is 0: certificates .* not verified/),
    ])
    expect(remarksOf({ NODE_TLS_REJECT_UNAUTHORIZED: '1' })).toEqual([])
  })

  it('name unknown settings', () => {
    expect(remarksOf({ AUTH_SIT_URL: 'x', AUTH_TRUST_HOST: '1', HOME: '/root' })).toEqual([
      'AUTH_SIT_URL is not a setting; did you mean AUTH_SITE_URL?',
      expect.stringMatching(/^AUTH_TRUST_HOST is not a setting/),
    ])
  })

  it('S41: suggest a setting only if its name is similar', () => {
    expect(remarksOf({ AUTH_CAPTCHA_ENABLED: 'true', AUTH_MFA_ENABLED: 'true' })).toEqual([
      'AUTH_CAPTCHA_ENABLED is not a setting; did you mean AUTH_SECURITY_CAPTCHA_ENABLED?',
      'AUTH_MFA_ENABLED is not a setting',
    ])
  })

  it.each([
    'auth_disable_signup',
    'Auth_Disable_Signup',
    ' AUTH_DISABLE_SIGNUP',
    'AUTH-DISABLE-SIGNUP',
    'AUTH.DISABLE_SIGNUP',
    '\u200bAUTH_DISABLE_SIGNUP',
    '$env:AUTH_DISABLE_SIGNUP',
    'set AUTH_DISABLE_SIGNUP',
  ])('S42: report that %j is read under another spelling', (name) => {
    expect(remarksOf({ [name]: 'true', MY_AUTH_DISABLE_SIGNUP: 'true' })).toEqual([
      `${JSON.stringify(name)} is not read; did you mean AUTH_DISABLE_SIGNUP?`,
    ])
  })

  it('name the unread OpenTelemetry variables if traces or metrics are enabled', () => {
    const env = {
      ...minimal,
      OTEL_SDK_DISABLED: 'true',
      OTEL_BSP_SCHEDULE_DELAY: '',
      OTEL_PROPAGATORS: 'b3',
      OTEL_SERVICE_NAME: 'auth',
      OTEL_EXPORTER_OTLP_TIMEOUT: '500',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-team=auth',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector.example.com',
    }

    expect(remarksOf({ ...env, AUTH_METRICS_ENABLED: 'true' })).toEqual([
      'Not read, of the variables of OpenTelemetry: OTEL_SDK_DISABLED, OTEL_PROPAGATORS, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL. See docs/telemetry.md for the supported ones',
    ])
    expect(remarksOf({ ...env, AUTH_METRICS_ENABLED: 'false' })).toEqual([])
  })

  it('name settings that no longer have an effect', () => {
    const env = {
      AUTH_OPERATOR_TOKEN: 'c4n4ry',
      AUTH_JWT_ADMIN_GROUP_NAME: '',
      GOTRUE_API_ENDPOINT: '/',
    }
    expect(remarksOf(env)).toEqual([
      expect.stringMatching(/^AUTH_OPERATOR_TOKEN has no effect\. /),
      expect.stringMatching(/^GOTRUE_API_ENDPOINT has no effect\. /),
    ])
    expect(remarksOf(env).join()).not.toContain('c4n4ry')
  })

  it('name settings whose switch is off', () => {
    const captcha = { AUTH_SECURITY_CAPTCHA_SECRET: 'c4n4ry', AUTH_SECURITY_CAPTCHA_TIMEOUT: '5' }
    expect(remarksOf(captcha)).toEqual([
      'AUTH_SECURITY_CAPTCHA_ENABLED is not set: without it AUTH_SECURITY_CAPTCHA_SECRET, ' +
        'AUTH_SECURITY_CAPTCHA_TIMEOUT has no effect',
    ])
    expect(remarksOf({ ...captcha, AUTH_SECURITY_CAPTCHA_ENABLED: 'false' })).toEqual([])
    expect(remarksOf({ AUTH_HOOK_EVENTS_URI: 'https://a.test' })).toHaveLength(1)
    expect(remarksOf({ AUTH_EXTERNAL_GITHUB_CLIENT_ID: 'id' })).toHaveLength(1)
  })

  it('report once which names of the former server were read, and which were not', () => {
    const env = {
      GOTRUE_SITE_URL: 'https://former.example.com',
      GOTRUE_DB_NAMESPACE: 'former',
      GOTRUE_DB_DATABASE_URL: 'postgres://user:c4n4ry@former/app',
      GOTRUE_UNKNOWN: 'x',
      GOTRUE_DATABASE_LISTEN_URL: 'postgres://user:c4n4ry@former/app',
      GOTRUE_JWT_AUD: 'former',
      AUTH_JWT_AUD: 'current',
    }
    const { config, remarks } = readEnvironment(env)
    expect(config).toEqual({
      siteUrl: 'https://former.example.com',
      database: { schema: 'former' },
      jwt: { audience: 'current' },
    })
    expect(remarks).toEqual([
      'GOTRUE_JWT_AUD has no effect: AUTH_JWT_AUD has another value',
      'Settings were read from names of the former server: GOTRUE_DB_NAMESPACE (now AUTH_DB_SCHEMA), ' +
        'GOTRUE_SITE_URL; not read: GOTRUE_DATABASE_LISTEN_URL. Give them names that begin with AUTH_',
      'Not read, since no setting corresponds to them: GOTRUE_UNKNOWN. Remove them',
    ])
  })

  it('name the setting that a name without prefix had at the former server', () => {
    expect(remarksOf({ DB_NAMESPACE: 'auth', JWT_AUD: 'app' })).toEqual([
      'Not read, since names of settings begin with AUTH_: DB_NAMESPACE (as AUTH_DB_SCHEMA), JWT_AUD (as AUTH_JWT_AUD)',
    ])
  })

  it('state that the import reads the keys of encrypted columns', () => {
    expect(remarksOf({ GOTRUE_SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS: 'id:key' })).toEqual([
      'GOTRUE_SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS is read by `latchkey import gotrue` only. The server does not need it',
    ])
  })

  it('name settings of the former server without effect', () => {
    expect(
      remarksOf({ GOTRUE_WEBHOOK_URL: 'https://app.example.com', GOTRUE_COOKIE_KEY: 'sb' }),
    ).toEqual([
      expect.stringContaining('GOTRUE_WEBHOOK_URL has no effect. '),
      expect.stringContaining('GOTRUE_COOKIE_KEY has no effect. '),
    ])
  })

  it('report the first of many names of the former server, and how many others there are', () => {
    const names = ['SITE_URL', 'API_HOST', 'API_PORT', 'JWT_AUD', 'JWT_EXP', 'DB_NAMESPACE']
    const env = Object.fromEntries(names.map((name) => [`GOTRUE_${name}`, '1']))

    expect(remarksOf(env)).toEqual([
      expect.stringMatching(
        /: GOTRUE_DB_NAMESPACE \(now AUTH_DB_SCHEMA\), .* and 3 others \(latchkey doctor/,
      ),
    ])
  })

  it('report a name without its prefix, unless it is supported or also given with the prefix', () => {
    const env = { PORT: '1', RATE_LIMIT_HEADER: 'x', SITE_URL: 'https://a.test', HOME: '/root' }
    expect(remarksOf(env)).toEqual([
      'Not read, since names of settings begin with AUTH_: SITE_URL (as AUTH_SITE_URL), ' +
        'RATE_LIMIT_HEADER (as AUTH_RATE_LIMIT_HEADER)',
    ])
    expect(remarksOf({ ...env, ...minimal })).toEqual([])
  })

  it('follow the problems, since they may explain them', () => {
    const check = () => checkEnvironment({ SITE_URL: 'https://a.test', AUTH_JWT_SECRETT: 'c4n4ry' })

    expect(check).toThrow(/AUTH_SITE_URL is required.*\. SITE_URL is set, and is not read without/)
    expect(check).toThrow(/AUTH_JWT_SECRETT is not a setting; did you mean AUTH_JWT_SECRET\?/)
    expect(check).not.toThrow(/c4n4ry/)
  })

  it('contain the status of each setting', () => {
    const { given } = readEnvironment({
      AUTH_SITE_URL: 'https://app.example.com',
      AUTH_SAML_ENABLED: 'false',
      AUTH_MULTI_INSTANCE_MODE: 'true',
    })
    expect(given.map(({ name, path, status }) => ({ name, path, status }))).toEqual([
      { name: 'AUTH_SITE_URL', path: 'siteUrl', status: 'live' },
      { name: 'AUTH_SAML_ENABLED', path: 'saml.enabled', status: 'offers-later' },
      { name: 'AUTH_MULTI_INSTANCE_MODE', path: null, status: 'unsupported' },
    ])
  })
})

it('reports no warning about other settings to a command that needs the database only', () => {
  const notesFor = (options: Parameters<typeof checkEnvironment>[1]) => {
    try {
      checkEnvironment({ AUTH_DATABSE_URL: 'postgres://127.0.0.1/app' }, options)
    } catch (error) {
      return (error as Error).message
    }
    return ''
  }
  expect(notesFor({})).toContain('AUTH_RATE_LIMIT_HEADER')
  expect(notesFor({ needs: 'database' })).not.toContain('AUTH_RATE_LIMIT_HEADER')
  expect(notesFor({ needs: 'database' })).toContain('did you mean AUTH_DATABASE_URL?')
})
