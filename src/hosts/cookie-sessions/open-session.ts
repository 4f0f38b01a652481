import { AuthError, type AuthErrorCode } from '../../platform/errors/auth-error.ts'
import { conflict } from '../../platform/errors/request-errors.ts'
import { bearerOf, type RequestLike, readHeader } from '../../platform/http/request-like.ts'
import { type CookieHost, isEnd, type KeptTokens, keepTokens, viewerOf } from './cookie-host.ts'
import { type CookieJar, openCookies, type RequestCookies } from './cookie-jar.ts'
import { cookieModeHeader } from './cookie-names.ts'
import { createRequestSession } from './create-request-session.ts'
import { type CookieRequest, foreignOrigin, isFromOwnOrigin, isSafe } from './own-origin.ts'
import type { RenewingClient } from './renewals.ts'
import type { RequestSession, SignedInViewer } from './request-session.ts'

export interface OpenSessionOptions {
  /** Where cookies are set at once. Without it `addHeaders` has them. */
  jar?: CookieJar | undefined
  /**
   * False where cookies cannot be set any more, as in what Next renders: a session that has expired is then nobody's, and
   * the old refresh token stays good for the next request. Default true.
   */
  renew?: boolean | undefined
  /** The address of the socket's peer, stored with the session and in the audit log. */
  ip?: string | undefined
}

/** As clients have it: a token that lives no longer may be refused where it is sent on to. */
const renewalMarginSeconds = 90

/**
 * The session of a request. A bearer token counts before cookies, which are then neither used nor changed: it was put there
 * on purpose, and a browser sends cookies by itself.
 *
 * @throws AuthError `origin_not_allowed` (403) where a request that is to change something has the cookies of a session and was sent by
 *   no page of the application; `bad_jwt` for a bearer token that is not good.
 */
export async function openSession(
  host: CookieHost,
  request: CookieRequest,
  { jar, renew = true, ip }: OpenSessionOptions = {},
): Promise<RequestSession> {
  const cookies = openCookies(host, request, jar)
  const client = clientOf(request, ip)
  const bearer = bearerOf(request)
  if (bearer !== null) {
    const viewer = await viewerOf(host, bearer)
    return createRequestSession(host, { cookies, client, viewer, refusal: bearerKeepsNothing })
  }
  const { origins } = host.terms
  const isOwn = isSafe(request) || isFromOwnOrigin(origins, request) === true
  if (!isOwn && cookies.session) throw foreignOrigin(origins)
  const viewer = await viewerOfCookies(
    host,
    cookies,
    renew && !isForService(request) ? client : null,
  )
  return createRequestSession(host, {
    cookies,
    client,
    viewer,
    refusal: isOwn ? null : () => foreignOrigin(origins),
  })
}

/** The mounted service renews sessions and sets cookies by itself: a second renewal would set those that a sign-out removes. */
const isForService = (request: RequestLike): boolean =>
  readHeader(request, cookieModeHeader) !== null

export const clientOf = (request: RequestLike, ip: string | undefined): RenewingClient => ({
  ip,
  userAgent: readHeader(request, 'user-agent') ?? undefined,
})

const bearerKeepsNothing = (): AuthError =>
  conflict('The request has a bearer token: its session is not kept in cookies')

/**
 * Who is signed in by cookies; the session is renewed where it expires soon.
 *
 * @param client who renews; null where nobody is to.
 */
export async function viewerOfCookies(
  host: CookieHost,
  cookies: RequestCookies,
  client: RenewingClient | null,
): Promise<SignedInViewer | null> {
  const { session } = cookies
  if (!session) return null
  const viewer = await viewerOf(host, session.accessToken).catch(unlessRefused('bad_jwt'))
  const isFresh = viewer && secondsLeft(host, viewer) > renewalMarginSeconds
  if (isFresh || !client) return viewer
  let renewed: KeptTokens
  try {
    renewed = await host.renewals.renew(session.refreshToken, client)
  } catch (error) {
    if (isEnd(error)) {
      cookies.removeSession()
      return null
    }
    // Until it expires the token counts, where no more is known than that it could not be renewed now.
    if (!viewer) throw error
    return viewer
  }
  // A host that sets no cookies here has to say so: the session would end with the next request.
  return keepTokens(host, cookies, renewed).catch((error) => {
    if (!isEnd(error)) throw error
    cookies.removeSession()
    return null
  })
}

const secondsLeft = ({ clock }: CookieHost, { claims }: SignedInViewer): number =>
  (claims.exp ?? Number.POSITIVE_INFINITY) - clock.now().getTime() / 1000

const unlessRefused =
  (code: AuthErrorCode) =>
  (error: unknown): null => {
    if (error instanceof AuthError && error.code === code) return null
    throw error
  }
