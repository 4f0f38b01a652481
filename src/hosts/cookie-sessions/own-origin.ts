import { AuthError } from '../../platform/errors/auth-error.ts'
import { type HeadersLike, type RequestLike, readHeader } from '../../platform/http/request-like.ts'

/** Methods that are to change nothing. @see RFC 9110 §9.2.1 */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** A request of any host, with its method: a `Request`, an `IncomingMessage`, an event of h3. */
export type CookieRequest = Sent | { readonly req: Sent }

interface Sent {
  readonly method?: string | undefined
  readonly headers: HeadersLike
}

/**
 * Whether a request is to change nothing, so that it does not matter who sent it. Where nobody says what it is to do, it may
 * change something. A WebSocket begins as a `GET`, and pages of any origin may open one and read what it says.
 */
export function isSafe(request: CookieRequest): boolean {
  const { method = '' } = 'req' in request ? request.req : request
  return safeMethods.has(method.toUpperCase()) && readHeader(request, 'upgrade') === null
}

/**
 * Whether a page of the application sent a request, as far as its browser tells; null where it tells nothing.
 *
 * `SameSite=Lax` does not say so: to it the pages of every subdomain are the same site. A sandboxed frame or a redirect
 * across origins sends `Origin: null`, which is nobody's.
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
 * A request that would use or set cookies, and came from a page of somebody else, or of nobody.
 *
 * The origins are public, and the usual mistake is to open `http://localhost:3000` where `http://127.0.0.1:3000` is named.
 */
export const foreignOrigin = (origins: ReadonlySet<string>): AuthError =>
  new AuthError(
    'origin_not_allowed',
    403,
    `Cookies count only in requests from pages of ${[...origins].join(', ')}`,
  )
