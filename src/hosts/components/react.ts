import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useState,
  useSyncExternalStore,
} from 'react'
import type { AuthPages } from './auth-pages.ts'
import {
  type AuthClient,
  type AuthOptions,
  type AuthState,
  type AuthUser,
  type CurrentSession,
  createAuthState,
  findUser,
  type GuardOptions,
} from './auth-state.ts'

export type { AuthPages } from './auth-pages.ts'
export type {
  AuthClient,
  AuthOptions,
  AuthSession,
  AuthUser,
  CurrentSession,
  GuardOptions,
} from './auth-state.ts'

const AuthContext = createContext<AuthState | null>(null)

/**
 * Provides the session to the components below it. On the server and during hydration they have the
 * session that the server rendered; afterwards they follow the client.
 *
 * @example <AuthProvider client={client} session={session}><App /></AuthProvider>
 */
export function AuthProvider({
  children,
  ...options
}: AuthOptions & { children?: ReactNode }): ReactElement {
  const [state] = useState(() => createAuthState(options))
  return createElement(AuthContext.Provider, { value: state }, children)
}

/** @throws Error outside an `AuthProvider`. */
function useAuthState(): AuthState {
  const state = useContext(AuthContext)
  if (!state) throw new Error('latchkey/react: no AuthProvider above this component')
  return state
}

/** Returns the session: null without one, undefined while it is unknown. */
export function useSession(): CurrentSession {
  const { subscribe, current, initial } = useAuthState()
  return useSyncExternalStore(subscribe, current, () => initial)
}

/** Returns the signed-in user; null without one, and while it is unknown. */
export const useUser = (): AuthUser | null => useSession()?.user ?? null

/** Returns the client, whose methods sign users in and out. */
export const useAuth = (): AuthClient => useAuthState().client

/** Returns the paths of the service's pages: `<a href={useAuthPages().signIn('/plans')}>`. */
export const useAuthPages = (): AuthPages => useAuthState().pages

/** Renders its children for signed-in users. */
export const SignedIn = ({ children }: { children?: ReactNode }): ReactNode =>
  useSession() ? children : null

/** Renders its children for visitors without a session. */
export const SignedOut = ({ children }: { children?: ReactNode }): ReactNode =>
  useSession() === null ? children : null

/** The arguments of React Router's loaders and middleware that are used. */
export interface RouterRequest {
  readonly request: Request
}

/** A `loader` or a middleware of React Router. */
export interface ReactRouterGuard {
  (args: RouterRequest, context?: unknown): Promise<AuthUser>
  <Result>(args: RouterRequest, next: () => Promise<Result>): Promise<Result>
}

/**
 * Creates a guard for React Router: a `loader` or `clientLoader`, which returns the user, or an
 * entry of `middleware` or `clientMiddleware`. A visitor without a session is redirected to the
 * sign-in page, and back afterwards.
 *
 * Guards protect pages, not data: the endpoints that return data check the session themselves.
 *
 * @example { path: '/account', middleware: [requireUser(client)], Component: Account }
 */
export function requireUser(client: AuthClient, options: GuardOptions = {}): ReactRouterGuard {
  const guard = async ({ request }: RouterRequest, next?: unknown): Promise<unknown> => {
    const { pathname, search } = new URL(request.url)
    const found = await findUser(client, pathname + search, options)
    if (found.user) return typeof next === 'function' ? next() : found.user
    // The sign-in page is no route of the application, so the router has to load its document.
    const headers = { location: found.signIn, 'x-remix-reload-document': 'true' }
    throw new Response(null, { status: 302, headers })
  }
  return guard as ReactRouterGuard
}
