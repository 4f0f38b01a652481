import type { Config } from '../../platform/config/config.ts'
import type { CaptchaAttempt, VerifyCaptcha } from '../../platform/config/sections/security.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { withinTime } from '../../platform/kit/within-time.ts'
import { askCaptchaProvider, type CaptchaFetch } from './ask-captcha-provider.ts'
import { captchaFailed, captchaNotVerified } from './captcha-errors.ts'

/**
 * Asks whether a captcha was solved, which spends it.
 *
 * @throws AuthError `captcha_failed` (400), `service_unavailable` (503) when nobody can tell.
 */
export type RequireSolved = (attempt: CaptchaAttempt) => Promise<void>

/** Finds why a captcha does not count; null when it does. */
type FindObjection = (attempt: CaptchaAttempt) => Promise<string | null>

/** @returns what verifies captchas, or null where none are asked for. */
export function openCaptcha(
  { security: { captcha } }: Pick<Config, 'security'>,
  fetch: CaptchaFetch,
): RequireSolved | null {
  if (!captcha.enabled) return null
  const { verify, timeoutSeconds } = captcha
  const timeoutMs = timeoutSeconds * 1000
  const findObjection: FindObjection = verify
    ? (attempt) => askFunction(verify, attempt, timeoutMs)
    : (attempt) => askCaptchaProvider({ ...captcha, fetch, timeoutMs }, attempt)
  return async (attempt) => {
    const objection = await findObjection(attempt).catch((error: unknown) => {
      throw error instanceof AuthError ? error : captchaNotVerified(error)
    })
    if (objection !== null) throw captchaFailed(objection)
  }
}

async function askFunction(
  verify: VerifyCaptcha,
  attempt: CaptchaAttempt,
  timeoutMs: number,
): Promise<string | null> {
  const asked = Promise.resolve(attempt).then(verify)
  const isSolved = await withinTime(asked, timeoutMs, () => new Error('it exceeded its time limit'))
  return isSolved === true ? null : 'not solved'
}
