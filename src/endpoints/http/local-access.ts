import { getCookie, getRequestIP, type H3Event } from 'h3'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { notFound } from '../../platform/errors/request-errors.ts'
import { Answer } from '../../platform/http/answer.ts'
import { sameOriginOnly } from '../../platform/http/cors.ts'
import { readQuery } from '../../platform/http/read-request.ts'
import { isSameSecret } from '../../platform/kit/digest.ts'
import { isLoopbackAddress, isLoopbackHost, readIpAddress } from '../../platform/kit/ip-address.ts'
import { withoutTrailingSlashes } from '../../platform/kit/trailing-slashes.ts'

/** The path of all pages that exist only in development. */
export const developerRoot = '/_latchkey'

/**
 * Accepts requests from this machine that contain the token printed at start.
 *
 * The peer must be this machine. Scripts of other sites run in its browser, too: the `Host` must
 * name this machine, which excludes a foreign name that resolves to it, and requests of other
 * origins are rejected. Requests through a tunnel are recognized by their forwarding headers. The
 * token excludes other users of the machine.
 *
 * @returns a redirect that replaces the token in the URL by a cookie; undefined with a cookie.
 * @throws AuthError `not_found` for another machine, `no_authorization` (401) without the token.
 */
export function requireLocalAccess(event: H3Event, token: string): Answer | undefined {
  sameOriginOnly(event)
  if (!isLocalRequest(event)) throw notFound()
  const given = readQuery(event, 'token')
  if (given !== undefined && isSameSecret(given, token)) return tradeForCookie(event, token)
  if (!isSameSecret(getCookie(event, cookieName(event)) ?? '', token)) throw tokenNeeded()
  return undefined
}

const tokenNeeded = (): AuthError =>
  new AuthError('no_authorization', 401, 'Open the address that was printed at the last start')

function isLocalRequest(event: H3Event): boolean {
  const { headers } = event.req
  const host = hostOf(event)
  const origin = headers.get('origin')
  return (
    isLocalAddress(getRequestIP(event) ?? statedPeer(headers)) &&
    isLocalHost(host) &&
    (origin === null || origin === `http://${host}` || origin === `https://${host}`) &&
    !isFromOtherHost(headers)
  )
}

/**
 * Returns the peer in the header of a server that does not pass the peer otherwise, such as Next. A
 * client of such a server can forge the header; it still needs the token.
 */
const statedPeer = (headers: Headers): string | undefined =>
  headers.get('x-forwarded-for')?.split(',').at(-1)?.trim()

const hostOf = ({ req, url }: H3Event): string => req.headers.get('host') ?? url.host

const isLocalHost = (host: string): boolean =>
  isLoopbackHost(host.trim().toLowerCase().replace(/:\d*$/, ''))

function isLocalAddress(text: string | undefined): boolean {
  const address = readIpAddress(text ?? '')
  return address !== null && isLoopbackAddress(address)
}

/**
 * Whether a forwarding header names another machine. Development servers that forward to this one
 * name it.
 */
function isFromOtherHost(headers: Headers): boolean {
  const all = (name: string, isLocal: (item: string) => boolean) =>
    (headers.get(name)?.split(',') ?? []).every((item) => isLocal(item.trim()))
  const areLocal =
    ['x-forwarded-for', 'x-real-ip', 'cf-connecting-ip'].every((name) =>
      all(name, isLocalAddress),
    ) && all('x-forwarded-host', isLocalHost)
  return !areLocal || headers.has('forwarded')
}

/**
 * Redirects to the same address without the token, which would stay in the history and could be
 * shared.
 */
function tradeForCookie(event: H3Event, token: string): Answer {
  const { pathname, searchParams } = event.url
  const others = new URLSearchParams(searchParams)
  others.delete('token')
  const location = `${pathname.replace(/^\/+/, '/')}${others.size > 0 ? `?${others}` : ''}`
  const cookie = `${cookieName(event)}=${token}; Path=${cookiePath(pathname)}; HttpOnly; SameSite=Strict`
  return new Answer(303, {
    location,
    'set-cookie': cookie,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  })
}

/** Browsers do not separate cookies by port. */
const cookieName = (event: H3Event): string =>
  `latchkey_development_${/:(\d+)$/.exec(hostOf(event))?.[1] ?? ''}`

function cookiePath(pathname: string): string {
  const start = pathname.indexOf(`${developerRoot}/`)
  const root = start === -1 ? withoutTrailingSlashes(pathname) : pathname.slice(0, start)
  return root + developerRoot
}
