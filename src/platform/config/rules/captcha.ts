import type { CaptchaProvider } from '../sections/security.ts'
import type { Rule } from './rule.ts'

/** The published test secrets of providers. With these, every captcha counts as solved. */
const testSecrets: ReadonlySet<string> = new Set([
  '0x0000000000000000000000000000000000000000',
  '1x0000000000000000000000000000000AA',
  '6LeIxAcTAAAAAGG-vFI1TnRWxMZNFuojJ4WifJWe',
])

/** Providers whose responses contain the action that a captcha was solved for. */
const providersWithActions: ReadonlySet<CaptchaProvider> = new Set(['turnstile', 'recaptcha_v3'])

/**
 * Requires a complete captcha configuration, and rejects requirements that the provider cannot
 * check. In production, test secrets are rejected.
 */
export const requireCaptchaProvider =
  (production: boolean): Rule =>
  ({ config, given, report }) => {
    const { enabled, provider, secret, verify, actions } = config.security.captcha
    if (!enabled || verify !== null) return
    if (!secret && !report.hasProblem('security.captcha.secret')) {
      report.problem('security.captcha.secret', 'is required because captchas are enabled')
    }
    if (actions.length > 0 && !providersWithActions.has(provider)) {
      report.problem(
        'security.captcha.actions',
        `has no effect with ${provider}, which returns none`,
      )
    }
    if (given.has('security.captcha.minScore') && provider !== 'recaptcha_v3') {
      report.problem(
        'security.captcha.minScore',
        `has no effect with ${provider}, which returns none`,
      )
    }
    if (secret && testSecrets.has(secret) && !config.development) {
      const message = 'is a test secret: every captcha counts as solved'
      if (production) report.problem('security.captcha.secret', message)
      else report.warn('security.captcha.secret', message)
    }
  }
