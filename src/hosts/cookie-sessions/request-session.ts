import type { SessionTokens, SignOutScope } from '../../accounts/sessions/session-info.ts'
import type { ExchangeCodeResult } from '../../service/api/auth-api.ts'
import type { RequiredAssurance } from '../../service/api/step-up.ts'
import type { Viewer } from '../../service/api/viewer.ts'
import type { ResponseHeaders } from './response-headers.ts'
import type { SessionApi } from './session-api.ts'
import type { SignedInViewer } from './signed-in-viewer.ts'

/** The session of one request. */
export interface RequestSession {
  /**
   * The user of the access token, read without a query; null without a session. The second factor
   * of the user may not be proved yet: `claims.aal` is then `aal1`. A sign-out in another place has
   * an effect only after the access token expires. Pages and data are protected by `requireUser`.
   */
  readonly viewer: SignedInViewer | null
  /**
   * The methods of `auth.api`, for this session: without access token and call options, and with
   * the cookies changed as each result requires.
   *
   * @throws AuthError as the method of `auth.api`; `no_authorization` (401) without a session that
   *   the method requires; as of `keep`, except `conflict`.
   * @example
   * await session.api.signInWithPassword({ email, password })
   * const { email } = await session.api.getUser()
   */
  readonly api: SessionApi
  /**
   * Returns the user as stored now, in one query, like `auth.requireUser`. Without `aal`, users
   * with a verified second factor need it in this session; `aal: 1` requires a sign-in only, as the
   * page of the second step itself does. If the session has ended meanwhile, its cookies are
   * removed.
   *
   * @throws AuthError of `auth.requireUser`: `no_authorization` (401) without a session,
   *   `insufficient_aal` (403) before the second factor.
   */
  requireUser(options?: RequiredAssurance): Promise<Viewer>
  /**
   * Stores the session of a sign-in by `auth.api`.
   *
   * @throws AuthError `origin_not_allowed` (403) in a request that no page of the application sent;
   *   `conflict` (409) in one with a bearer token, whose session is not in cookies.
   */
  keep(session: Pick<SessionTokens, 'accessToken' | 'refreshToken'>): Promise<void>
  /**
   * Exchanges the code in the URL of a link or provider for a session, with the code verifier that
   * the browser stored, and stores the session.
   *
   * @param flowId the `sb_flow_id` of the URL, if the client distinguishes several sign-ins.
   * @throws AuthError of `auth.api.exchangeCodeForSession`; `flow_state_not_found` if this browser
   *   has begun no sign-in; as of `keep`.
   */
  exchangeCode(code: string, flowId?: string | null): Promise<ExchangeCodeResult>
  /**
   * Ends the session, with `global` all of the user's, and removes the cookies. Has no effect
   * without a session.
   *
   * @param options.scope default `local`.
   * @throws AuthError as of `keep`; `service_unavailable` (503).
   */
  signOut(options?: { scope?: Exclude<SignOutScope, 'others'> | undefined }): Promise<void>
  /**
   * Returns the session for scripts of the page, in wire form: the access token, the user from its
   * claims, and a placeholder without access in place of the refresh token. Null without a session.
   */
  forPage(): PageSession | null
  /**
   * Returns settings for a client of `@supabase/auth-js` that acts for the user of the request, and
   * calls the service without a network: `new AuthClient(session.clientOptions())`.
   */
  clientOptions(): ServerClientOptions
  /**
   * Adds the headers of the response: `Set-Cookie`, and `Cache-Control: no-store` if there are
   * cookies.
   */
  addHeaders(headers: ResponseHeaders): void
  /**
   * Returns the `Cookie` header for a further recipient of this request, with the session renewed,
   * such as Next's pages after its proxy.
   */
  cookieHeader(): string
}

/** The session for scripts of the page. */
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
