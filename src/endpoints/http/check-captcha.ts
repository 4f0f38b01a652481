import type { AuthContext } from '../../accounts/auth-context.ts'
import { isAboutUser } from '../../credentials/access-tokens/token-subject.ts'
import {
  hasAudience,
  verifyAccessToken,
} from '../../credentials/access-tokens/verify-access-token.ts'
import { captchaFailed, type RequireSolved } from '../../limits/captcha/open-captcha.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { checkBody } from '../../platform/http/check-input.ts'
import { fields, Text } from '../../platform/http/inputs.ts'
import { captchaFields } from './endpoint.ts'

/** The verification of the captcha that a request requires; null where it requires none. */
export async function captchaFor(
  ctx: AuthContext,
  token: string | null,
): Promise<RequireSolved | null> {
  if (!ctx.captcha || (await isForAdministration(ctx, token))) return null
  return ctx.captcha
}

/**
 * Whether a token is for administration. The token of a user is not, whatever the role: the user's
 * permissions take a statement, which a request without a solved captcha must not cause.
 */
async function isForAdministration(
  { keys, clock, config: { jwt } }: AuthContext,
  token: string | null,
): Promise<boolean> {
  if (token === null) return false
  try {
    const claims = await verifyAccessToken(keys, token, { now: clock.now(), issuer: jwt.issuer })
    const isOfOperator = claims.role !== undefined && jwt.adminRoles.includes(claims.role)
    return isOfOperator && !isAboutUser(claims) && hasAudience(claims, jwt.audience)
  } catch (error) {
    if (error instanceof AuthError) return false
    throw error
  }
}

const inMetaSecurity = fields({ captchaToken: Text })

/** The maximum, longer than the tokens of all providers. */
const maxTokenLength = 16_384

/**
 * Returns the token of a solved captcha in a body.
 *
 * @throws AuthError `captcha_failed` (400) without one, `bad_json` for one of the wrong type.
 */
export function findCaptchaToken(body: Record<string, unknown>): string {
  const { captchaToken, gotrueMetaSecurity = {} } = checkBody(body, captchaFields)
  const nested = checkBody(gotrueMetaSecurity, inMetaSecurity, 'gotrue_meta_security').captchaToken
  const token = captchaToken?.trim() || nested?.trim() || ''
  if (token === '' || token.length > maxTokenLength) throw captchaFailed('no captcha_token found')
  return token
}
