import { getCookie, getRequestIP, type H3Event } from 'h3'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { notFound } from '../../platform/errors/request-errors.ts'
import { Answer } from '../../platform/http/answer.ts'
import { sameOriginOnly } from '../../platform/http/cors.ts'
import { readQuery } from '../../platform/http/read-request.ts'
import { isSameSecret } from '../../platform/kit/digest.ts'
import { readIpAddress } from '../../platform/kit/ip-address.ts'
import { isLoopbackAddress, isLoopbackHost } from '../../platform/kit/loopback.ts'

/** Where all pages live that development alone shows. */
export const developerRoot = '/_latchkey'

/**
 * Lets a person at this machine in, who has seen the token that was printed at start.
 *
 * The peer has to be this machine. That alone would let in whatever a browser here runs, so the `Host`
 * has to be a name of this machine too, which a foreign name that resolves to it is not; no other
 * origin may ask; and a tunnel to the world gives itself away by what it forwards. The token keeps out
 * other users of the machine.
 *
 * @returns the answer that trades the token in the URL for a cookie; undefined for who has one.
 * @throws AuthError `not_found` for who is elsewhere, `no_authorization` (401) without the token.
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
    isLocalAddress(getRequestIP(event) ?? toldPeer(headers)) &&
    isLocalHost(host) &&
    (origin === null || origin === `http://${host}` || origin === `https://${host}`) &&
    !cameFromElsewhere(headers)
  )
}

/**
 * The peer as a server says that does not hand it over: that of Next puts it there where nobody else has. Whoever reaches such a server
 * from elsewhere can say the same, and has to have the token then, as all others have.
 */
const toldPeer = (headers: Headers): string | undefined =>
  headers.get('x-forwarded-for')?.split(',').at(-1)?.trim()

const hostOf = ({ req, url }: H3Event): string => req.headers.get('host') ?? url.host

const isLocalHost = (host: string): boolean =>
  isLoopbackHost(host.trim().toLowerCase().replace(/:\d*$/, ''))

function isLocalAddress(text: string | undefined): boolean {
  const address = readIpAddress(text ?? '')
  return address !== null && isLoopbackAddress(address)
}

/** What development servers that hand on to us say of this machine is fine; all else is a tunnel. */
function cameFromElsewhere(headers: Headers): boolean {
  const all = (name: string, isLocal: (item: string) => boolean) =>
    (headers.get(name)?.split(',') ?? []).every((item) => isLocal(item.trim()))
  const areLocal =
    ['x-forwarded-for', 'x-real-ip', 'cf-connecting-ip'].every((name) =>
      all(name, isLocalAddress),
    ) && all('x-forwarded-host', isLocalHost)
  return !areLocal || headers.has('forwarded')
}

/** The same address without the token, which would stay in the history and in what is shown to others. */
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

/** Browsers do not tell ports apart where they keep cookies. */
const cookieName = (event: H3Event): string =>
  `latchkey_development_${/:(\d+)$/.exec(hostOf(event))?.[1] ?? ''}`

function cookiePath(pathname: string): string {
  const start = pathname.indexOf(`${developerRoot}/`)
  return start === -1 ? '/' : pathname.slice(0, start) + developerRoot
}
