import { refreshTokenNotFound } from '../../accounts/sessions/session-errors.ts'
import type { SessionTokens } from '../../accounts/sessions/session-info.ts'
import { readSubject } from '../../credentials/access-tokens/token-subject.ts'
import { AuthError, type AuthErrorCode } from '../../platform/errors/auth-error.ts'
import type { RequestLike } from '../../platform/http/request-like.ts'
import type { Clock } from '../../platform/kit/clock.ts'
import type { SessionService } from '../../service/api/session-service.ts'
import type { RequestCookies } from './cookie-jar.ts'
import type { CookieTerms } from './cookie-terms.ts'
import type { Renewals } from './renewals.ts'
import type { SignedInViewer } from './signed-in-viewer.ts'

/** The shared components of all requests. */
export interface CookieHost {
  auth: SessionService
  terms: CookieTerms
  renewals: Renewals
  clock: Clock
}

/**
 * Verifies an access token and returns its user.
 *
 * @throws AuthError `bad_jwt`; with generated keys also `service_unavailable` (503).
 */
export async function viewerOf({ auth }: CookieHost, accessToken: string): Promise<SignedInViewer> {
  const claims = await auth.verifyToken(accessToken)
  return { ...readSubject(claims), claims, accessToken }
}

/** The tokens that are stored in cookies: a {@link SessionTokens} is one. */
export type KeptTokens = Pick<SessionTokens, 'accessToken' | 'refreshToken'>

/**
 * Stores a session that the service has just issued in cookies.
 *
 * @throws AuthError `refresh_token_not_found` for a session that has ended meanwhile.
 */
export async function keepTokens(
  host: CookieHost,
  cookies: RequestCookies,
  { accessToken, refreshToken }: KeptTokens,
): Promise<SignedInViewer> {
  const viewer = await viewerOf(host, accessToken)
  const { sessionId } = viewer
  if (sessionId !== null && host.renewals.hasEnded(sessionId)) throw refreshTokenNotFound()
  if (sessionId !== null) cookies.storeSession({ sessionId, accessToken, refreshToken })
  return viewer
}

const codesOf = (...codes: readonly AuthErrorCode[]): readonly string[] => codes

/** Error codes after which a session has ended, whichever call throws them. */
export const endingCodes: ReadonlySet<string> = new Set(
  codesOf(
    'refresh_token_already_used',
    'refresh_token_not_found',
    'session_expired',
    'session_not_found',
    'user_banned',
    'user_not_found',
  ),
)

/**
 * Error codes of a renewal after which the session has ended. A renewal returns the added codes for
 * a session of an OAuth client and for a malformed token; in other calls they concern the input.
 */
export const renewalEndingCodes: ReadonlySet<string> = new Set([
  ...endingCodes,
  ...codesOf('invalid_credentials', 'validation_failed'),
])

export const isEnd = (error: unknown): boolean =>
  error instanceof AuthError && endingCodes.has(error.code)

/** Reports whether an error of a renewal means that the session has ended. */
export const isEndOfRenewal = (error: unknown): boolean =>
  error instanceof AuthError && renewalEndingCodes.has(error.code)

/** The client of a request: the options of calls that serve it. */
export type RequestClient = ReturnType<CookieHost['auth']['callOptions']>

/** Returns the client of a request, identified as by the endpoints. */
export const clientOf = (
  { auth }: CookieHost,
  request: RequestLike,
  ip: string | undefined,
): RequestClient => auth.callOptions(request, { ip })
