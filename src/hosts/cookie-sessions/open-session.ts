import { AuthError, type AuthErrorCode } from '../../platform/errors/auth-error.ts'
import { conflict } from '../../platform/errors/request-errors.ts'
import { bearerOf, type RequestLike, readHeader } from '../../platform/http/request-like.ts'
import {
  type CookieHost,
  clientOf,
  isEnd,
  isEndOfRenewal,
  type KeptTokens,
  keepTokens,
  viewerOf,
} from './cookie-host.ts'
import { type CookieJar, openCookies, type RequestCookies } from './cookie-jar.ts'
import { cookieModeHeader } from './cookie-names.ts'
import { createRequestSession } from './create-request-session.ts'
import { type CookieRequest, foreignOrigin, isFromOwnOrigin, isSafe } from './own-origin.ts'
import type { RenewingClient } from './renewals.ts'
import type { RequestSession } from './request-session.ts'
import type { SignedInViewer } from './signed-in-viewer.ts'

export interface OpenSessionOptions {
  /** A jar in which cookies are set at once. Default: `addHeaders` returns them. */
  jar?: CookieJar | undefined
  /**
   * False if cookies can no longer be set, as during rendering in Next. An expired session then
   * counts as absent, and the old refresh token remains valid for the next request. Default true.
   */
  renew?: boolean | undefined
  /** The address of the socket's peer, stored with the session and in the audit log. */
  ip?: string | undefined
}

/**
 * The margin before expiry, which equals that of clients: a token that expires sooner may be
 * rejected by another service that receives it.
 */
const renewalMarginSeconds = 90

/**
 * Opens the session of a request. A bearer token has precedence over cookies, which are then
 * neither used nor changed: it was added deliberately, while browsers send cookies automatically.
 *
 * @throws AuthError `origin_not_allowed` (403) for a request with effects that has session cookies
 *   and was not sent by a page of the application; `bad_jwt` for an invalid bearer token.
 */
export async function openSession(
  host: CookieHost,
  request: CookieRequest,
  { jar, renew = true, ip }: OpenSessionOptions = {},
): Promise<RequestSession> {
  const cookies = openCookies(host, request, jar)
  const client = clientOf(host, request, ip)
  const bearer = bearerOf(request)
  if (bearer !== null) {
    const viewer = await viewerOf(host, bearer)
    return createRequestSession(host, {
      cookies,
      client,
      viewer,
      isBearer: true,
      rejection: bearerKeepsNothing,
    })
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
    isBearer: false,
    rejection: isOwn ? null : () => foreignOrigin(origins),
  })
}

/**
 * Reports whether the mounted service handles the request. It renews sessions and sets cookies
 * itself: a second renewal would restore those that a sign-out removes.
 */
const isForService = (request: RequestLike): boolean =>
  readHeader(request, cookieModeHeader) !== null

const bearerKeepsNothing = (): AuthError =>
  conflict('The request has a bearer token: its session is not kept in cookies')

/**
 * Returns the user of the cookies, and renews a session that expires soon.
 *
 * @param client the client of the renewal; null for no renewal.
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
    if (isEndOfRenewal(error)) {
      cookies.removeSession()
      return null
    }
    // An unexpired token is used if the renewal failed temporarily.
    if (!viewer) throw error
    return viewer
  }
  // Fails if the host cannot set cookies here: the session would otherwise end with the next
  // request.
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
