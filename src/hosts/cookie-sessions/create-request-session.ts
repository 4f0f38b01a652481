import { flowStateNotFound } from '../../accounts/one-time-tokens/one-time-token-errors.ts'
import { proofOfFactorNeeded } from '../../accounts/sessions/session-errors.ts'
import { needsAal2 } from '../../accounts/users/user.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { noCookieSession } from '../../platform/errors/request-errors.ts'
import {
  type CookieHost,
  isEnd,
  type KeptTokens,
  keepTokens,
  type RequestClient,
} from './cookie-host.ts'
import type { RequestCookies } from './cookie-jar.ts'
import { isVerifierKey } from './cookie-names.ts'
import type { CookieTerms } from './cookie-terms.ts'
import { presentPageSession, refreshTokenOfPage } from './page-session.ts'
import type { RenewingClient } from './renewals.ts'
import type { PageSession, RequestSession, ServerClientOptions } from './request-session.ts'
import { headersOf } from './response-headers.ts'
import { createSessionApi, type SessionApi } from './session-api.ts'
import type { SignedInViewer } from './signed-in-viewer.ts'

interface OpenedRequest {
  cookies: RequestCookies
  client: RequestClient
  viewer: SignedInViewer | null
  /** Whether the session is that of a bearer token. */
  isBearer: boolean
  /** The reason why this request may set no cookie; null if it may. */
  rejection: (() => AuthError) | null
}

export function createRequestSession(host: CookieHost, opened: OpenedRequest): RequestSession {
  const { auth, clock } = host
  const { cookies, client, rejection } = opened
  let { viewer } = opened
  const requireOwn = (): void => {
    if (rejection) throw rejection()
  }
  const keep = async (session: KeptTokens): Promise<void> => {
    requireOwn()
    viewer = await keepTokens(host, cookies, session)
  }
  const discard = (): void => {
    if (rejection) return
    if (viewer?.sessionId) host.renewals.end(viewer.sessionId)
    viewer = null
    cookies.removeSession()
  }
  const forPage = (): PageSession | null => {
    const sessionId = viewer?.sessionId
    return viewer && sessionId ? presentPageSession({ ...viewer, sessionId }, clock.now()) : null
  }
  let api: SessionApi | undefined
  return {
    get viewer() {
      return viewer
    },
    get api() {
      api ??= createSessionApi({
        origin: [...host.terms.origins][0] ?? '',
        auth,
        viewer: () => viewer,
        callOptions: () => client,
        cookies: opened.isBearer
          ? null
          : {
              requireOwn,
              keep,
              discard,
              storeVerifier: (item) => cookies.storeItem(verifierKey(host.terms), item),
            },
      })
      return api
    },
    keep,
    requireUser: async (options = {}) => {
      const authorization = viewer ? `Bearer ${viewer.accessToken}` : undefined
      try {
        // JavaScript may pass on `strict: false`, with which the user is not read.
        const read = { ...options, strict: true } as const
        const found = await auth.requireUser({ headers: { authorization } }, read)
        if (options.aal === undefined && needsAal2(found.user, found.aal)) {
          throw proofOfFactorNeeded(true)
        }
        return found
      } catch (error) {
        if (isEnd(error)) discard()
        if (!viewer && error instanceof AuthError && error.code === 'no_authorization') {
          throw noCookieSession()
        }
        throw error
      }
    },
    exchangeCode: async (code, flowId) => {
      requireOwn()
      const key = verifierKey(host.terms, flowId)
      const codeVerifier = readVerifier(cookies.readItem(key))
      if (codeVerifier === null) throw flowStateNotFound()
      const input = { authCode: code, codeVerifier }
      const result = await auth.api.exchangeCodeForSession(input, client)
      cookies.removeItem(key)
      await keep(result.session)
      return result
    },
    signOut: async ({ scope = 'local' } = {}) => {
      requireOwn()
      if (!viewer) return
      const { accessToken } = viewer
      await auth.api.signOut({ accessToken, scope }, client).catch((error) => {
        if (!isEnd(error)) throw error
      })
      discard()
    },
    forPage,
    clientOptions: () =>
      serverClientOptions(host, { ...opened, forPage, keep, discard, requireOwn }),
    addHeaders: (target) => {
      const headers = headersOf(target)
      const all = cookies.setCookieHeaders()
      for (const one of all) headers.append('set-cookie', one)
      // A shared cache would send the session to the next visitor.
      if (all.length > 0) headers.set('cache-control', 'private, no-store')
    },
    cookieHeader: () => cookies.cookieHeader(),
  }
}

/** Returns the key under which `@supabase/auth-js` stores the code verifier, as JSON text. */
function verifierKey({ name }: CookieTerms, flowId?: string | null | undefined): string {
  const flow = flowId && /^[\w-]{1,64}$/.test(flowId) ? `-flow-${flowId}` : ''
  return `${name}${flow}-code-verifier`
}

/** Returns the code verifier, without the client's further data. */
function readVerifier(text: string | null): string | null {
  try {
    const value: unknown = JSON.parse(text ?? 'null')
    return typeof value === 'string' ? (value.split('/')[0] ?? null) : null
  } catch {
    return null
  }
}

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
function serverClientOptions(host: CookieHost, served: Served): ServerClientOptions {
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
