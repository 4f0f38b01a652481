import { AuthError } from '../../platform/errors/auth-error.ts'
import { type HeadersLike, type RequestLike, readHeader } from '../../platform/http/request-like.ts'

/** Methods without effects. @see RFC 9110 §9.2.1 */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** A request of any host, with its method: a `Request`, an `IncomingMessage`, an event of h3. */
export type CookieRequest = Sent | { readonly req: Sent }

interface Sent {
  readonly method?: string | undefined
  readonly headers: HeadersLike
}

/**
 * Reports whether a request has no effects, so that its origin does not matter. A missing method
 * counts as one with effects. A WebSocket begins as a `GET`, and pages of any origin may open one
 * and read its messages.
 */
export function isSafe(request: CookieRequest): boolean {
  const { method = '' } = 'req' in request ? request.req : request
  return safeMethods.has(method.toUpperCase()) && readHeader(request, 'upgrade') === null
}

/**
 * Reports whether a page of the application sent a request, as the browser states; null if it
 * states nothing.
 *
 * `SameSite=Lax` is not sufficient, since pages of all subdomains are the same site. A sandboxed
 * frame or a redirect across origins sends `Origin: null`, which is never permitted.
 *
 * @see Fetch Standard §3.2, Fetch Metadata §2.4
 */
export function isFromOwnOrigin(
  origins: ReadonlySet<string>,
  request: RequestLike,
): boolean | null {
  const origin = readHeader(request, 'origin')
  if (origin !== null) return origins.has(origin)
  const site = readHeader(request, 'sec-fetch-site')
  if (site !== null) return site === 'same-origin'
  const referrer = readHeader(request, 'referer')
  if (referrer === null) return null
  return URL.canParse(referrer) && origins.has(new URL(referrer).origin)
}

/**
 * Rejects a request that would use or set cookies, and came from another or an unknown origin.
 *
 * The message contains the origins, which are public: a common mistake is to open
 * `http://localhost:3000` while `http://127.0.0.1:3000` is configured.
 */
export const foreignOrigin = (origins: ReadonlySet<string>): AuthError =>
  new AuthError(
    'origin_not_allowed',
    403,
    `Cookies are used only in requests from pages of ${[...origins].join(', ')}`,
  )
