import type { Config } from '../../platform/config/config.ts'
import type { CaptchaAttempt, VerifyCaptcha } from '../../platform/config/sections/security.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { withinTime } from '../../platform/kit/within-time.ts'
import { captchaFailed, captchaNotVerified } from './captcha-errors.ts'
import { type CaptchaFetch, queryCaptchaProvider } from './query-captcha-provider.ts'

/**
 * Verifies that a captcha was solved. Verification consumes the captcha.
 *
 * @throws AuthError `captcha_failed` (400); `service_unavailable` (503) when it cannot be verified.
 */
export type RequireSolved = (attempt: CaptchaAttempt) => Promise<void>

/** Returns the reason why a captcha is rejected; null when it is accepted. */
type FindObjection = (attempt: CaptchaAttempt) => Promise<string | null>

/** @returns the verifier, or null where captchas are disabled. */
export function openCaptcha(
  { security: { captcha } }: Pick<Config, 'security'>,
  fetch: CaptchaFetch,
): RequireSolved | null {
  if (!captcha.enabled) return null
  const { verify, timeoutSeconds } = captcha
  const timeoutMs = timeoutSeconds * 1000
  const findObjection: FindObjection = verify
    ? (attempt) => callVerifyFunction(verify, attempt, timeoutMs)
    : (attempt) => queryCaptchaProvider({ ...captcha, fetch, timeoutMs }, attempt)
  return async (attempt) => {
    const objection = await findObjection(attempt).catch((error: unknown) => {
      throw error instanceof AuthError ? error : captchaNotVerified(error)
    })
    if (objection !== null) throw captchaFailed(objection)
  }
}

async function callVerifyFunction(
  verify: VerifyCaptcha,
  attempt: CaptchaAttempt,
  timeoutMs: number,
): Promise<string | null> {
  const verifying = Promise.resolve(attempt).then(verify)
  const isSolved = await withinTime(
    verifying,
    timeoutMs,
    () => new Error('it exceeded its time limit'),
  )
  return isSolved === true ? null : 'not solved'
}
