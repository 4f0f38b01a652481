import { describe, expect, it } from 'vitest'
import { minimal } from '../../../../test/support/config-problems.ts'
import { checkConfig, examineConfig } from '../check-config.ts'
import type { AuthConfig } from '../config.ts'
import { createReport } from '../report.ts'
import type { SecurityConfig } from '../sections/security.ts'

/** Returns the problems and warnings about a captcha configuration. */
function warningsOf(captcha: SecurityConfig['captcha'], changes: AuthConfig = {}) {
  const report = createReport()
  const config = examineConfig(
    {
      siteUrl: 'https://app.example.com',
      database: 'postgres://user:password@db.example.com/app',
      jwt: { secret: 'a-secret-of-more-than-thirty-two-bytes' },
      email: { autoconfirm: true },
      rateLimits: { header: 'off' },
      security: { captcha },
      ...changes,
    },
    report,
  )
  const problems = report.problems.map(({ path, message }) => `${path} ${message}`)
  return { ...config.security.captcha, problems, warnings: report.warnings }
}

describe('captchas', () => {
  it('are enabled by naming them, and disabled by their switch', () => {
    expect(warningsOf({ secret: 's' })).toMatchObject({ enabled: true, problems: [], warnings: [] })
    expect(warningsOf({ enabled: false })).toMatchObject({ enabled: false, problems: [] })
    expect(warningsOf(undefined)).toMatchObject({ enabled: false, problems: [] })
  })

  it.each([undefined, '', '  '])('need a secret: %j', (secret) => {
    expect(warningsOf({ enabled: true, secret }).problems).toEqual([
      'security.captcha.secret is required because captchas are enabled',
    ])
  })

  it('trim white space around the secret, and accept providers in any letter case', () => {
    const found = warningsOf({ provider: 'hCaptcha' as 'hcaptcha', secret: ' s3cret\n' })
    expect(found).toMatchObject({ provider: 'hcaptcha', secret: 's3cret', problems: [] })
  })

  it('need no secret if the application verifies them', () => {
    expect(warningsOf({ verify: () => true }).problems).toEqual([])
  })

  it('do not require data that a provider does not return', () => {
    const settings = { secret: 's', actions: ['login'], minScore: 0.7 }
    expect(warningsOf({ ...settings, provider: 'recaptcha_v3' }).problems).toEqual([])
    expect(warningsOf({ ...settings, provider: 'recaptcha_v2' }).problems).toEqual([
      'security.captcha.actions has no effect with recaptcha_v2, which returns none',
      'security.captcha.minScore has no effect with recaptcha_v2, which returns none',
    ])
    expect(warningsOf({ ...settings, provider: 'turnstile' }).problems).toHaveLength(1)
  })

  it.each([-0.1, 1.1, '0.5', Number.NaN])('have a score from 0 to 1, and not %j', (minScore) => {
    const given = { provider: 'recaptcha_v3', secret: 's', minScore: minScore as number } as const
    expect(warningsOf(given).problems[0]).toMatch(/minScore must be a number from 0 to 1/)
  })

  it('accept any response with a test secret, which causes a warning outside development', () => {
    const secret = '1x0000000000000000000000000000000AA'
    expect(warningsOf({ provider: 'turnstile', secret }).warnings).toEqual([
      'security.captcha.secret is a test secret: every captcha counts as solved',
    ])
    const inDevelopment = warningsOf({ provider: 'turnstile', secret }, { development: true })
    expect(inDevelopment.warnings).toEqual([])
  })

  it('S46: are not accepted with a secret for tests in production', () => {
    const captcha = {
      provider: 'turnstile',
      secret: '1x0000000000000000000000000000000AA',
    } as const

    expect(() => checkConfig({ ...minimal, security: { captcha } }, { production: true })).toThrow(
      'security.captcha.secret is a test secret',
    )
  })
})
