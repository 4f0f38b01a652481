import type { AccessTokenClaims } from '../../credentials/access-tokens/claims.ts'
import type { IssuedClaims } from '../../credentials/access-tokens/issue-access-token.ts'
import { hookFailed } from '../../delivery/hooks/hook-errors.ts'
import type { HookOutput } from '../../delivery/hooks/hook-outcome.ts'
import { requestDecision, withHookFailure } from '../../delivery/hooks/request-decision.ts'
import { isRecord } from '../../platform/kit/is-record.ts'
import type { AuthContext } from '../auth-context.ts'
import type { AuthenticationMethod } from '../sessions/assurance.ts'

/**
 * Calls the application's hook for the claims of a token, if there is one: its claims replace those
 * of the service. Subject, session and proofs stay unchanged, since this service decides by them.
 * No token lives longer than it would without the hook.
 *
 * @param method the method of the sign-in.
 * @throws AuthError the errors of the hook, `unexpected_failure` for claims that clients could not
 *   read.
 */
export async function customizeClaims(
  ctx: AuthContext,
  claims: IssuedClaims,
  method: AuthenticationMethod,
): Promise<IssuedClaims> {
  const hookOutput = await requestDecision(ctx, 'customAccessToken', {
    user_id: claims.sub,
    claims,
    authentication_method: method,
  })
  if (hookOutput === null) return claims
  const custom = await withHookFailure(ctx, 'customAccessToken', () =>
    requireCommonRole(ctx, claims, readClaims(hookOutput)),
  )
  const { sub, iss, iat, session_id, aal, amr, is_anonymous } = claims
  return {
    ...(custom as AccessTokenClaims),
    iss,
    sub,
    iat,
    session_id,
    aal,
    amr,
    is_anonymous,
    exp: Math.min(custom['exp'] as number, claims.exp),
  } as IssuedClaims
}

/** Rejects the role of an administrator from a hook. Only an operator assigns such a role. */
function requireCommonRole(
  { config }: AuthContext,
  { role }: IssuedClaims,
  custom: Record<string, unknown>,
): Record<string, unknown> {
  const isGiven = custom['role'] !== role
  if (!isGiven || !config.jwt.adminRoles.includes(String(custom['role']))) return custom
  throw hookFailed('output claims role is that of an administrator')
}

/** Reads the claims of a hook, and rejects claims that clients could not read. */
function readClaims(hookOutput: HookOutput): Record<string, unknown> {
  const custom = asJson(hookOutput['claims'])
  if (!isRecord(custom)) throw hookFailed('output claims field is missing')
  const wrong = Object.keys(required).filter((name) => !required[name]?.(custom[name]))
  if (!isListOfProofs(custom['amr'])) wrong.push('amr')
  if (wrong.length === 0) return custom
  throw hookFailed(
    `output claims do not conform to the expected schema: ${wrong.join(', ')} missing or of the wrong type`,
  )
}

/** Returns the value as a token contains it. Members without a JSON form are dropped. */
function asJson(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value ?? null))
  } catch (cause) {
    throw hookFailed('output claims are not JSON', cause)
  }
}

const isText = (value: unknown) => typeof value === 'string'
const isTime = (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0
const isTextOrTexts = (value: unknown) =>
  isText(value) || (Array.isArray(value) && value.every(isText))

/** The claims that clients and policies of the database read from any token. */
const required: Readonly<Record<string, (value: unknown) => boolean>> = {
  aud: isTextOrTexts,
  exp: isTime,
  iat: isTime,
  sub: isText,
  email: isText,
  phone: isText,
  role: isText,
  aal: isText,
  session_id: isText,
  is_anonymous: (value) => typeof value === 'boolean',
}

const isListOfProofs = (value: unknown): boolean =>
  value === undefined ||
  (Array.isArray(value) && value.every((one) => typeof one === 'string' || isRecord(one)))
