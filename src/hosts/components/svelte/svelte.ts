import { type Component, getContext, type Snippet, setContext } from 'svelte'
import { createSubscriber } from 'svelte/reactivity'
import type { AuthPages } from '../auth-pages.ts'
import {
  type AuthClient,
  type AuthOptions,
  type AuthState,
  type AuthUser,
  type CurrentSession,
  createAuthState,
  findUser,
  type GuardOptions,
} from '../auth-state.ts'
import authProvider from './auth-provider.svelte'
import signedIn from './signed-in.svelte'
import signedOut from './signed-out.svelte'

export type { AuthPages } from '../auth-pages.ts'
export type {
  AuthClient,
  AuthOptions,
  AuthSession,
  AuthUser,
  CurrentSession,
  GuardOptions,
} from '../auth-state.ts'

/** A value that components follow when they read it. */
export interface Current<Value> {
  readonly current: Value
}

interface ProvidedAuth extends Pick<AuthState, 'client' | 'pages'> {
  session: Current<CurrentSession>
}

const authKey = Symbol('latchkey')

/**
 * Provides the session to the components below the calling one, as `AuthProvider` does. On the
 * server and during hydration they have the session that the server rendered; afterwards they
 * follow the client.
 */
export function provideAuth(options: AuthOptions): void {
  const state = createAuthState(options)
  const follow = createSubscriber((update) => state.subscribe(update))
  const session: Current<CurrentSession> = {
    get current() {
      follow()
      return state.current()
    },
  }
  setContext<ProvidedAuth>(authKey, { client: state.client, pages: state.pages, session })
}

/** @throws Error outside an `AuthProvider`. */
function providedAuth(): ProvidedAuth {
  const provided = getContext<ProvidedAuth | undefined>(authKey)
  if (!provided) throw new Error('latchkey/svelte: no AuthProvider above this component')
  return provided
}

/** Returns the session, in `current`: null without one, undefined while it is unknown. */
export const useSession = (): Current<CurrentSession> => providedAuth().session

/** Returns the signed-in user, in `current`; null without one, and while it is unknown. */
export function useUser(): Current<AuthUser | null> {
  const session = useSession()
  return {
    get current() {
      return session.current?.user ?? null
    },
  }
}

/** Returns the client, whose methods sign users in and out. */
export const useAuth = (): AuthClient => providedAuth().client

/** Returns the paths of the service's pages: `<a href={useAuthPages().signIn('/plans')}>`. */
export const useAuthPages = (): AuthPages => providedAuth().pages

/** Provides the session to the components in it, as {@link provideAuth} does. */
export const AuthProvider = authProvider as Component<AuthOptions & { children?: Snippet }>

/** Renders its content for signed-in users, with the user: `{#snippet children(user)}`. */
export const SignedIn = signedIn as Component<{ children?: Snippet<[AuthUser]> }>

/** Renders its content for visitors without a session. */
export const SignedOut = signedOut as Component<{ children?: Snippet }>

/** The function `redirect` of `@sveltejs/kit`, which throws. */
export type LoadRedirect = (status: 303, location: string) => never

/**
 * Returns the user in a `load` of SvelteKit that browsers run, `+page.ts` or `+layout.ts`. A
 * visitor without a session is redirected to the sign-in page, and back afterwards. `requireUser`
 * of `latchkey/sveltekit` does the same for a `load` that only the server runs.
 *
 * Guards protect pages, not data: the endpoints that return data check the session themselves.
 *
 * @example
 * export const load = async ({ url }) => ({ user: await requireUser(client, url, redirect) })
 */
export async function requireUser(
  client: AuthClient,
  url: URL,
  redirect: LoadRedirect,
  options: GuardOptions = {},
): Promise<AuthUser> {
  const found = await findUser(client, url.pathname + url.search, options)
  return found.user ?? redirect(303, found.signIn)
}
