import type { SessionTokens } from '../../accounts/sessions/session-tokens.ts'
import type { SignOutScope } from '../../accounts/sessions/sign-out-scope.ts'
import type { AccessTokenClaims } from '../../credentials/access-tokens/claims.ts'
import type { ExchangeCodeResult } from '../../service/api/auth-api.ts'
import type { RequiredAssurance } from '../../service/api/step-up.ts'
import type { Viewer } from '../../service/api/viewer.ts'

/** Who sent a request, as the access token tells: no query was needed. */
export interface SignedInViewer {
  userId: string
  /** Null for a bearer token that names no session. */
  sessionId: string | null
  claims: AccessTokenClaims
  /** For calls to other services. It is good for at least a few seconds. */
  accessToken: string
}

/** The session of one request. */
export interface RequestSession {
  /** Null where nobody is signed in. A sign-out elsewhere shows once the access token expires: see `requireUser`. */
  readonly viewer: SignedInViewer | null
  /**
   * The user as stored at this moment, in one query, as by `auth.requireUser`. A session that has ended meanwhile is taken
   * out of the cookies.
   *
   * @throws AuthError what `auth.requireUser` throws: `no_authorization` (401) where nobody is signed in.
   */
  requireUser(options?: RequiredAssurance): Promise<Viewer>
  /**
   * Keeps the session that a sign-in by `auth.api` answered.
   *
   * @throws AuthError `origin_not_allowed` (403) in a request that no page of the application sent; `conflict` (409) in one
   *   with a bearer token, whose session cookies do not hold.
   */
  keep(session: Pick<SessionTokens, 'accessToken' | 'refreshToken'>): Promise<void>
  /**
   * Trades the code that a link or a provider led back with for a session, by the code verifier that the browser kept, and
   * keeps that.
   *
   * @param flowId the `sb_flow_id` of the URL, where the client says which of several sign-ins it was.
   * @throws AuthError what `auth.api.exchangeCodeForSession` throws; `flow_state_not_found` where this browser has begun no
   *   sign-in; as of `keep`.
   */
  exchangeCode(code: string, flowId?: string | null): Promise<ExchangeCodeResult>
  /**
   * Ends the session, with `global` all of the user's, and removes the cookies. Where nobody is signed in, nothing happens.
   *
   * @param options.scope default `local`.
   * @throws AuthError as of `keep`; `service_unavailable` (503).
   */
  signOut(options?: { scope?: Exclude<SignOutScope, 'others'> | undefined }): Promise<void>
  /**
   * The session for scripts of the page, in the form of the wire: the access token, the user as the token tells, and, in place
   * of the refresh token, a word that opens nothing. Null where nobody is signed in.
   */
  forPage(): PageSession | null
  /**
   * Settings for a client of `@supabase/auth-js` that acts for the person who sent the request, and calls the service without a
   * network: `new AuthClient(session.clientOptions())`.
   */
  clientOptions(): ServerClientOptions
  /** Adds what is to be sent along: `Set-Cookie`, and `Cache-Control: no-store` where there is one. */
  addHeaders(headers: Pick<Headers, 'append' | 'set'>): void
  /** The `Cookie` header for who is to see this request next with the session renewed, as Next's pages after its proxy. */
  cookieHeader(): string
}

/** What a script of the page gets to know of the session. */
export interface PageSession {
  access_token: string
  refresh_token: string
  token_type: 'bearer'
  /** In seconds since 1970. */
  expires_at: number
  expires_in: number
  user: Record<string, unknown>
}

/** Settings for `new AuthClient(…)` of `@supabase/auth-js`. */
export interface ServerClientOptions {
  url: string
  storageKey: string
  storage: {
    getItem(key: string): string | null
    setItem(key: string, value: string): Promise<void>
    removeItem(key: string): void
  }
  fetch: typeof fetch
  flowType: 'pkce'
  persistSession: true
  autoRefreshToken: false
  detectSessionInUrl: false
  skipAutoInitialize: true
}
