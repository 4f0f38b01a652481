import type { GoTrueClient } from '@supabase/auth-js'
import { type AuthPages, pagesAt } from './auth-pages.ts'

/** The members of a user that components read. Clients may supply more. */
export interface AuthUser {
  id: string
  email?: string | undefined
  phone?: string | undefined
  role?: string | undefined
  app_metadata: Record<string, unknown>
  user_metadata: Record<string, unknown>
  is_anonymous?: boolean | undefined
}

/** The members of a session that components read. */
export interface AuthSession {
  access_token: string
  expires_at?: number | undefined
  user: AuthUser
}

/** Null without a session, undefined while it is unknown. */
export type CurrentSession = AuthSession | null | undefined

/** A client of `@supabase/auth-js`, with `pageClientOptions` of `latchkey/client` or without. */
export type AuthClient = GoTrueClient

/** The input of a provider. */
export interface AuthOptions {
  /** Clients for sessions in cookies have `pageClientOptions` of `latchkey/client`. */
  client: AuthClient
  /**
   * The result of `session.forPage()` when the server rendered the page. Without it the session is
   * unknown until the client has read it, and neither signed-in nor signed-out content is shown.
   */
  session?: object | null | undefined
  /** The mount path of the service, with the sign-in pages. Default `/auth`. */
  basePath?: string | undefined
}

/** The session of a page, which changes with sign-ins and sign-outs. */
export interface AuthState {
  readonly client: AuthClient
  readonly pages: AuthPages
  /** The session when the page was rendered. */
  readonly initial: CurrentSession
  current(): CurrentSession
  /**
   * Calls a listener at each change. The first listener begins to follow the client: it is added
   * after hydration.
   *
   * @returns the function that removes the listener.
   */
  subscribe(listener: () => void): () => void
}

/** The members of a browser that a server lacks. */
interface BrowserDocument {
  readonly visibilityState: string
  addEventListener(name: 'visibilitychange', listener: () => void): void
  removeEventListener(name: 'visibilitychange', listener: () => void): void
}

/** Creates the state of a page. Nothing is requested before the first listener. */
export function createAuthState({ client, session, basePath }: AuthOptions): AuthState {
  const initial = session as CurrentSession
  let current = initial
  const listeners = new Set<() => void>()
  let stop: (() => void) | undefined
  const hold = (next: CurrentSession): void => {
    // The client repeats the session when it starts, and in each tab.
    if (isSame(current, next)) return
    current = next
    for (const listener of [...listeners]) listener()
  }
  return {
    client,
    pages: pagesAt(basePath),
    initial,
    current: () => current,
    subscribe: (listener) => {
      listeners.add(listener)
      stop ??= follow(client, hold)
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        stop?.()
        stop = undefined
      }
    },
  }
}

/** Follows sign-ins and sign-outs of this page, of other tabs, and of forms in other tabs. */
function follow(client: AuthClient, hold: (session: CurrentSession) => void): () => void {
  const { data } = client.onAuthStateChange((_event, session) => hold(session))
  const { document } = globalThis as unknown as { document?: BrowserDocument }
  const read = (): void => {
    if (document?.visibilityState !== 'visible') return
    // Without a network the former state remains.
    client.getSession().then(
      ({ data, error }) => error || hold(data.session),
      () => {},
    )
  }
  document?.addEventListener('visibilitychange', read)
  return () => {
    data.subscription.unsubscribe()
    document?.removeEventListener('visibilitychange', read)
  }
}

function isSame(one: CurrentSession, other: CurrentSession): boolean {
  if (!one || !other) return one === other
  return (
    one.access_token === other.access_token &&
    JSON.stringify(one.user) === JSON.stringify(other.user)
  )
}

/** The input of the guards of routers. */
export interface GuardOptions {
  /** The mount path of the service. Default `/auth`. */
  basePath?: string | undefined
  /**
   * Returns the path of a sign-in page of the application, which replaces that of the service.
   *
   * @param returnTo the path of the guarded page.
   */
  signIn?: ((returnTo: string) => string) | undefined
}

/**
 * Returns the signed-in user, or the path of the sign-in page. An error of the client, for example
 * without a network, has no session.
 */
export async function findUser(
  client: AuthClient,
  returnTo: string,
  { basePath, signIn = pagesAt(basePath).signIn }: GuardOptions,
): Promise<{ user: AuthUser } | { user: null; signIn: string }> {
  const { data } = await client.getSession()
  const user = data.session?.user
  return user ? { user } : { user: null, signIn: signIn(returnTo) }
}
