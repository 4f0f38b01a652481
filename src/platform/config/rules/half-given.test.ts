import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { minimal, problemsWith } from '../../../../test/support/config-problems.ts'
import { checkConfig } from '../check-config.ts'
import type { AuthConfig } from '../config.ts'
import type { RateLimitsConfig } from '../sections/rate-limits.ts'

describe('an incomplete group of settings', () => {
  it('reports the missing parts of a mail server', () => {
    expect(
      problemsWith({ email: { autoconfirm: true, smtp: { host: 'mail', user: 'auth' } } }),
    ).toEqual({
      'email.smtp.port': 'is required to send mail by SMTP',
      'email.smtp.pass': 'is required to send mail by SMTP',
      'email.from.address': 'is required to send mail by SMTP',
    })
  })

  it('reports the missing parts of an enabled provider', () => {
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

  it('has no warning that a setting of ID tokens has no effect', () => {
    const { config, warnings } = checkConfig({
      ...minimal,
      providers: { google: { clientId: 'app', clientSecret: 's', skipNonceCheck: true } },
      externalSignIn: { iosBundleId: 'com.example.app' },
    })
    expect(warnings.filter((warning) => warning.includes('no effect'))).toEqual([])
    expect(config.providers.google.skipNonceCheck).toBe(true)
  })

  it("accepts Apple's signed secret, or all parts of the key that signs it", () => {
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
      'providers.apple.clientSecret': 'is signed with the key already: remove one of them',
    })
  })

  it('warns that a ratio of traces requires a ratio sampler', () => {
    const warningsWith = (tracing: NonNullable<AuthConfig['telemetry']>['tracing']) =>
      checkConfig({ ...minimal, telemetry: { tracing } }).warnings.filter((warning) =>
        warning.includes('samplerRatio'),
      )

    expect(warningsWith({ samplerRatio: 0.1 })).toEqual([
      'telemetry.tracing.samplerRatio has no effect where telemetry.tracing.sampler is parentbased_always_on',
    ])
    expect(warningsWith({ sampler: 'traceidratio', samplerRatio: 0.1 })).toEqual([])
  })

  it('reports the missing parts of enabled SAML or an enabled hook', () => {
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

  it('rejects hashes with less memory than their lanes require', () => {
    expect(problemsWith({ passwords: { argon2: { memoryKib: 16, parallelism: 4 } } })).toEqual({
      'passwords.argon2.memoryKib': 'must be at least 32, 8 for each of 4 lanes',
    })
  })

  it('warns of SMS that cannot be sent', () => {
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

const redisUrl = 'redis://127.0.0.1:6379'
const redis = () => ({})

const storeOf = (rateLimits: RateLimitsConfig) =>
  checkConfig({ ...minimal, rateLimits }).config.rateLimits.store
const warningsOf = (rateLimits: RateLimitsConfig) =>
  checkConfig({ ...minimal, rateLimits }).warnings.filter((one) => one.includes('redis'))

describe('the store of limits', () => {
  it('is Redis where one is configured, and memory otherwise', () => {
    expect(storeOf({})).toBe('memory')
    expect(storeOf({ redisUrl })).toBe('redis')
    expect(storeOf({ redis })).toBe('redis')
    expect(storeOf({ redisUrl, store: 'postgres' })).toBe('postgres')
  })

  it('requires one Redis where it is Redis', () => {
    expect(problemsWith({ rateLimits: { store: 'redis' } })).toEqual({
      'rateLimits.redisUrl': 'is required because rateLimits.store is redis',
    })
    expect(problemsWith({ rateLimits: { redis, redisUrl } })).toEqual({
      'rateLimits.redis': 'replaces rateLimits.redisUrl: remove one',
    })
  })

  it('warns of a Redis without effect', () => {
    expect(warningsOf({ redisUrl, store: 'postgres' })).toEqual([
      'rateLimits.redisUrl has no effect where rateLimits.store is postgres',
    ])
    expect(warningsOf({ redis, store: 'memory' })).toEqual([
      'rateLimits.redis has no effect where rateLimits.store is memory',
    ])
    expect(warningsOf({ redisUrl })).toEqual([])
  })

  it.each([
    'localhost:6379',
    'http://localhost:6379',
    'redis://user:pa#ss@host',
    'redis://user:pa/ss@host:6379',
    'redis://host/zero',
    'redis://host/0?db=1',
    'redis:///0',
  ])('rejects %s, and shows no password', (url) => {
    const problems = problemsWith({ rateLimits: { redisUrl: url } })
    expect(problems['rateLimits.redisUrl']).toMatch(/^must be a URL such as rediss:/)
    expect(JSON.stringify(problems)).not.toContain('pa/ss')
  })

  it.each([
    'redis://host',
    'redis://host:6379/',
    'rediss://user:pa%23ss@host:6379/15',
    'redis://[::1]:6379',
  ])('accepts %s', (url) => {
    expect(problemsWith({ rateLimits: { redisUrl: url } })).toEqual({})
  })
})
