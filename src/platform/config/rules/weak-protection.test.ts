import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { minimal, problemsWith } from '../../../../test/support/config-problems.ts'
import { checkConfig } from '../check-config.ts'
import type { AuthConfig } from '../config.ts'
import { usualLimits, weakProtections } from './weak-protection.ts'

const warningsWith = (changes: AuthConfig) => checkConfig({ ...minimal, ...changes }).warnings

const { jwt } = minimal
const captcha = (provider: 'recaptcha_v3' | 'turnstile', minScore: number): AuthConfig => ({
  security: { captcha: { provider, minScore, secret: 'a secret' } },
})

const oauthServer = { enabled: true, authorizationPath: '/oauth/consent' }

const weak: [string, AuthConfig][] = [
  ['rateLimits.emailSent', { rateLimits: { header: 'off', emailSent: 'off' } }],
  ['rateLimits.smsSent', { rateLimits: { header: 'off', smsSent: 'off' } }],
  [
    'jwt.rotation.overlapSeconds',
    { jwt: { ...jwt, rotation: { intervalSeconds: 86_400, overlapSeconds: 86_400 } } },
  ],
  ['database.cleanupEnabled', { database: { url: 'postgres://db/app', cleanupEnabled: false } }],
  [
    'security.refreshTokens.rotationEnabled',
    { security: { refreshTokens: { rotationEnabled: false } } },
  ],
  [
    'security.refreshTokens.reuseIntervalSeconds',
    {
      jwt: { ...jwt, lifetimeSeconds: 5 },
      security: { refreshTokens: { reuseIntervalSeconds: 6 } },
    },
  ],
  [
    'sessions.inactivityTimeoutSeconds',
    { sessions: { inactivityTimeoutSeconds: 90_000, timeboxSeconds: 80_000 } },
  ],
  ['sessions.inactivityTimeoutSeconds', { sessions: { inactivityTimeoutSeconds: 600 } }],
  ['sessions.timeboxSeconds', { sessions: { timeboxSeconds: 600 } }],
  ['sms.testOtpValidUntil', { sms: { testOtp: { '15005550006': '123456' } } }],
  [
    'sms.maxFrequencySeconds',
    { phone: { enabled: true }, sms: { maxFrequencySeconds: 0, send: async () => {} } },
  ],
  ['email.maxFrequencySeconds', { email: { autoconfirm: true, maxFrequencySeconds: 0 } }],
  ['passwords.hibpFailClosed', { passwords: { hibpFailClosed: true } }],
  [
    'email.autoconfirm',
    {
      email: { autoconfirm: true },
      externalUrl: 'https://auth.example.com',
      providers: { github: { clientId: 'app', clientSecret: 's' } },
    },
  ],
  [
    'email.autoconfirm',
    { email: { autoconfirm: true }, externalUrl: 'https://auth.example.com', oauthServer },
  ],
  [
    'sms.autoconfirm',
    {
      phone: { enabled: true },
      sms: { autoconfirm: true, send: async () => {} },
      externalUrl: 'https://auth.example.com',
      oauthServer,
    },
  ],
  ['security.captcha.minScore', captcha('recaptcha_v3', 0.2)],
  ['server.requestTimeoutSeconds', { server: { requestTimeoutSeconds: 0 } }],
  ['server.maxConnections', { server: { maxConnections: 0 } }],
  ['rateLimits.emailSent', { rateLimits: { header: 'off', emailSent: '1/1ms' } }],
  ['rateLimits.smsSent', { rateLimits: { header: 'off', smsSent: '1/1ms' } }],
  ...Object.entries(usualLimits).flatMap(([name, usual]) =>
    (['off', 0, usual + 1] as const).map((count): [string, AuthConfig] => [
      `rateLimits.${name}`,
      { rateLimits: { header: 'off', [name]: count } },
    ]),
  ),
]

describe('S39: a message budget that refills faster than ten per second', () => {
  it.each(['emailSent', 'smsSent'] as const)('causes a warning in every notation: %s', (name) => {
    const warned = (rate: string) => warningsWith({ rateLimits: { header: 'off', [name]: rate } })

    for (const rate of ['1/1ms', '11/1s', '100000', '3/250ms']) {
      expect(warned(rate)).toContainEqual(
        expect.stringMatching(`rateLimits.${name}.*unusually large`),
      )
    }
    for (const rate of ['10/1s', '36000', '1000000/720h']) {
      expect(warned(rate)).not.toContainEqual(expect.stringContaining('unusually large'))
    }
  })
})

describe('S29, S52, S74, S99, S134: a value or combination that disables a protection', () => {
  it.each(weak)('causes a warning, and is accepted: %s by %j', (path, changes) => {
    expect(problemsWith(changes)).toEqual({})
    const expected = weakProtections.filter((one) => one.path === path).map((one) => one.warning)
    const warned = warningsWith(changes).filter((text) =>
      expected.some((one) => text.includes(one)),
    )
    expect(warned).toHaveLength(1)
  })

  it('is not a usual value', () => {
    const usual: AuthConfig = {
      rateLimits: { header: 'off', ...usualLimits },
      sessions: { inactivityTimeoutSeconds: 7_200, timeboxSeconds: 80_000 },
      ...captcha('recaptcha_v3', 0.3),
    }
    const texts = weakProtections.map(({ warning }) => warning)

    for (const changes of [{}, usual]) {
      expect(problemsWith(changes)).toEqual({})
      const warned = warningsWith(changes).filter((text) => texts.some((one) => text.includes(one)))
      expect(warned).toEqual([])
    }
  })

  it('is in the documentation', () => {
    const page = readFileSync(new URL('../../../../docs/security.md', import.meta.url), 'utf8')
    for (const { path } of weakProtections) {
      expect(page).toContain(path.startsWith('rateLimits.') ? path.slice(10) : path)
    }
  })

  it('has a case above', () => {
    const paths = new Set(weakProtections.map(({ path }) => path))
    expect(new Set(weak.map(([path]) => path))).toEqual(paths)
  })
})

describe('the check for a recent proof', () => {
  const development = { development: true, siteUrl: 'http://localhost:3000' }
  const warningsAfter = (recentProofSeconds: number) =>
    checkConfig({ ...development, security: { recentProofSeconds } }).warnings

  it('S06: is disabled by 0, with a warning', () => {
    expect(warningsAfter(0)).toContainEqual(
      expect.stringMatching(/^security\.recentProofSeconds is 0: /),
    )
  })

  it('has a default of ten minutes, without a warning', () => {
    const { config, warnings } = checkConfig(development)

    expect(config.security.recentProofSeconds).toBe(600)
    expect(warnings.filter((one) => one.includes('recentProof'))).toEqual([])
    expect(warningsAfter(60)).toEqual(warnings)
  })
})
