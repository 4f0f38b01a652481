/** Headers in the form of the Fetch standard, or of node:http. */
export type HeadersLike =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined }

/** A request of any host: a `Request`, an `IncomingMessage` (also Express's), or an event of h3. */
export type RequestLike =
  | { readonly headers: HeadersLike }
  | { readonly req: { readonly headers: HeadersLike } }

/** Returns the bearer token of a host's request; null without one. */
export function bearerOf(request: RequestLike): string | null {
  return parseBearer(readHeader(request, 'authorization'))
}

/**
 * Returns a header of a host's request, by its lower-case name; null if it is missing or a list.
 *
 * @throws TypeError for a value without headers, which would be an unauthenticated request.
 */
export function readHeader(request: RequestLike, name: string): string | null {
  const { headers } = Object('req' in Object(request) ? Object(request).req : request)
  if (typeof headers !== 'object' || headers === null) {
    throw new TypeError(
      'request must be a Request, a request of node:http or an event of h3, with its headers',
    )
  }
  const header =
    typeof headers.get === 'function'
      ? headers.get(name)
      : (headers as { readonly [name: string]: unknown })[name]
  return typeof header === 'string' ? header : null
}

const scheme = 'bearer '

/** Returns the token of an `Authorization` header; null for other content. @see RFC 6750 §2.1 */
export function parseBearer(header: string | null | undefined): string | null {
  if (header?.slice(0, scheme.length).toLowerCase() !== scheme) return null
  const token = header.slice(scheme.length)
  return token !== '' && !/\s/.test(token) ? token : null
}

/** The stored length of a user agent. Browsers send 100 to 200 characters. */
export const maxUserAgentLength = 512

/** Returns the `User-Agent` header as it is stored: of a limited length, and null if it is empty. */
export const readUserAgent = (header: string | null | undefined): string | null =>
  header?.slice(0, maxUserAgentLength) || null
