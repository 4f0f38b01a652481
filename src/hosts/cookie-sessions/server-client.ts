import type { CookieHost, KeptTokens } from './cookie-host.ts'
import type { RequestCookies } from './cookie-jar.ts'
import { isVerifierKey } from './cookie-names.ts'
import { refreshTokenOfPage } from './page-session.ts'
import type { RenewingClient } from './renewals.ts'
import type { PageSession, ServerClientOptions } from './request-session.ts'

interface Served {
  cookies: RequestCookies
  client: RenewingClient
  forPage(): PageSession | null
  keep(session: KeptTokens): Promise<void>
  discard(): void
  /** Throws if this request may set no cookie. */
  requireOwn(): void
}

/**
 * Returns settings for a client on the server that acts for the user of a request: it calls the
 * service without a network.
 */
export function serverClientOptions(host: CookieHost, served: Served): ServerClientOptions {
  const [origin] = host.terms.origins
  return {
    url: `${origin}${host.auth.basePath}`,
    storageKey: host.terms.name,
    storage: storageOf(host, served),
    fetch: async (input, init) => {
      const request = new Request(input, init)
      const { ip, userAgent } = served.client
      if (userAgent !== undefined) request.headers.set('user-agent', userAgent)
      return host.auth.fetch(request, { ip })
    },
    flowType: 'pkce',
    persistSession: true,
    // The request has renewed it already, and there is no page URL here.
    autoRefreshToken: false,
    detectSessionInUrl: false,
    skipAutoInitialize: true,
  }
}

function storageOf(
  { terms }: CookieHost,
  { cookies, forPage, keep, discard, requireOwn }: Served,
): ServerClientOptions['storage'] {
  return {
    getItem: (key) => {
      if (isVerifierKey(key)) return cookies.readItem(key)
      const session = key === terms.name ? forPage() : null
      return session && JSON.stringify({ ...session, ...refreshTokenFor(session, cookies) })
    },
    setItem: async (key, value) => {
      requireOwn()
      if (isVerifierKey(key)) cookies.storeItem(key, value)
      else if (key === terms.name) await keep(readTokens(value))
    },
    removeItem: (key) => {
      if (isVerifierKey(key)) cookies.removeItem(key)
      else if (key === terms.name) discard()
    },
  }
}

/**
 * Returns the refresh token of the same session only: the cookies may belong to another user than
 * the bearer token.
 */
function refreshTokenFor(
  { refresh_token: shown }: PageSession,
  { session }: RequestCookies,
): { refresh_token?: string } {
  const isSame = session && refreshTokenOfPage(session.sessionId) === shown
  return isSame ? { refresh_token: session.refreshToken } : {}
}

function readTokens(text: string): KeptTokens {
  const { access_token: accessToken, refresh_token: refreshToken } = JSON.parse(text)
  return { accessToken, refreshToken }
}
