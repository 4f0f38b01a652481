import type { H3Event } from 'h3'
import { isAboutUser } from '../access-tokens/token-subject.ts'
import { hasAudience, verifyAccessToken } from '../access-tokens/verify-access-token.ts'
import { captchaFailed } from '../captcha/captcha-errors.ts'
import type { AuthContext } from '../deps.ts'
import { AuthError } from '../errors/auth-error.ts'
import { maxBodyBytes, maxPlainBodyBytes } from '../http/body-limit.ts'
import { checkBody } from '../http/check-input.ts'
import { captchaFields, type Endpoint } from '../http/endpoint.ts'
import { fields, Text } from '../http/inputs.ts'
import { jsonIn } from '../http/read-json.ts'
import { readOptionalBearer } from '../http/read-request.ts'
import { readText, receiveBody } from '../http/read-text.ts'

/**
 * Asks for a solved captcha, where captchas are switched on. It is spent by that, whatever becomes of the request.
 *
 * @throws AuthError `captcha_failed` (400), `bad_json`, `service_unavailable` (503) when nobody can tell.
 */
export async function checkCaptcha(
  ctx: AuthContext,
  event: H3Event,
  { body, path }: Endpoint & { captcha: true },
): Promise<void> {
  if (!ctx.captcha || (await isForAdministration(ctx, readOptionalBearer(event)))) return
  await receiveBody(event)
  const text = await readText(event, body?.mayBeLarge ? maxBodyBytes : maxPlainBodyBytes)
  const token = findToken(jsonIn(text || 'null'))
  if (token === null) throw captchaFailed('no captcha_token found')
  await ctx.captcha({ token, ip: ctx.request.ip, path })
}

/**
 * Whether a token was made for administration. That of a user is none, whatever the role: to find out what the
 * user may do takes a statement, which nobody gets who has solved nothing.
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

/** Longer than those of any provider. */
const maxTokenLength = 16_384

function findToken(body: Record<string, unknown>): string | null {
  const { captchaToken, gotrueMetaSecurity = {} } = checkBody(body, captchaFields)
  const nested = checkBody(gotrueMetaSecurity, inMetaSecurity, 'gotrue_meta_security').captchaToken
  const token = captchaToken?.trim() || nested?.trim() || ''
  return token === '' || token.length > maxTokenLength ? null : token
}
