import {
  type App,
  type ComputedRef,
  computed,
  defineComponent,
  type InjectionKey,
  inject,
  onMounted,
  onScopeDispose,
  type PropType,
  provide,
  shallowRef,
} from 'vue'
import type { AuthPages } from './auth-pages.ts'
import {
  type AuthClient,
  type AuthOptions,
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

/** A ref, or an object in its form. */
export interface SessionRef {
  value: CurrentSession
}

/** The values that composables inject. */
interface ProvidedAuth {
  client: AuthClient
  pages: AuthPages
  session: SessionRef
}

const authKey: InjectionKey<ProvidedAuth> = Symbol('latchkey')

/** A plugin of Vue, and the function that begins to follow the client. */
export interface VueAuth {
  install(app: App): void
  /**
   * Follows sign-ins and sign-outs. Call it after hydration.
   *
   * @returns the function that ends it.
   */
  follow(): () => void
}

function createProvided(options: AuthOptions, session: SessionRef = shallowRef<CurrentSession>()) {
  if (options.session !== undefined) session.value = options.session as CurrentSession
  const state = createAuthState({ ...options, session: session.value })
  const follow = (): (() => void) =>
    state.subscribe(() => {
      session.value = state.current()
    })
  return { provided: { client: state.client, pages: state.pages, session }, follow }
}

/**
 * Creates a plugin that provides the session to a whole application, for frameworks that decide
 * when hydration ends. Other applications use `AuthProvider`.
 *
 * @param session contains the session, and receives its changes.
 */
export function createVueAuth(options: AuthOptions, session?: SessionRef): VueAuth {
  const { provided, follow } = createProvided(options, session)
  return {
    install: (app) => {
      app.provide(authKey, provided)
    },
    follow,
  }
}

/**
 * Provides the session to the components below it. On the server and during hydration they have the
 * session that the server rendered; afterwards they follow the client.
 *
 * @example <AuthProvider :client="client" :session="session"><App /></AuthProvider>
 */
export const AuthProvider = defineComponent({
  name: 'AuthProvider',
  props: {
    client: { type: Object as PropType<AuthClient>, required: true },
    session: { type: Object as PropType<object | null | undefined>, default: undefined },
    basePath: { type: String, default: undefined },
  },
  setup(props, { slots }) {
    const { provided, follow } = createProvided({ ...props })
    provide(authKey, provided)
    let stop = (): void => {}
    onMounted(() => {
      stop = follow()
    })
    onScopeDispose(() => stop())
    return () => slots['default']?.()
  },
})

/** @throws Error outside an `AuthProvider`. */
function injectAuth(): ProvidedAuth {
  const provided = inject(authKey, null)
  if (!provided) throw new Error('latchkey/vue: no AuthProvider above this component')
  return provided
}

/** Returns the session: null without one, undefined while it is unknown. */
export function useSession(): ComputedRef<CurrentSession> {
  const { session } = injectAuth()
  return computed(() => session.value)
}

/** Returns the signed-in user; null without one, and while it is unknown. */
export function useUser(): ComputedRef<AuthUser | null> {
  const { session } = injectAuth()
  return computed(() => session.value?.user ?? null)
}

/** Returns the client, whose methods sign users in and out. */
export const useAuth = (): AuthClient => injectAuth().client

/** Returns the paths of the service's pages: `<a :href="pages.signIn('/plans')">`. */
export const useAuthPages = (): AuthPages => injectAuth().pages

/** Renders its slot for signed-in users, with the user: `<SignedIn v-slot="{ user }">`. */
export const SignedIn = defineComponent({
  name: 'SignedIn',
  setup(_, { slots }) {
    const user = useUser()
    return () => user.value && slots['default']?.({ user: user.value })
  },
})

/** Renders its slot for visitors without a session. */
export const SignedOut = defineComponent({
  name: 'SignedOut',
  setup(_, { slots }) {
    const session = useSession()
    return () => session.value === null && slots['default']?.()
  },
})

/** Settings of the guard of Vue Router. */
export interface VueGuardOptions extends GuardOptions {
  /**
   * Redirects to the sign-in page, which is no route of the application. Default: the browser loads
   * it. A server that renders pages must set it.
   */
  redirect?: ((path: string) => void) | undefined
}

/**
 * Creates a guard for Vue Router: a `beforeEnter` of a route. A visitor without a session is
 * redirected to the sign-in page, and back afterwards.
 *
 * Guards protect pages, not data: the endpoints that return data check the session themselves.
 *
 * @example { path: '/account', component: Account, beforeEnter: requireUser(client) }
 */
export const requireUser =
  (client: AuthClient, options: VueGuardOptions = {}) =>
  async ({ fullPath }: { readonly fullPath: string }): Promise<boolean> => {
    const found = await findUser(client, fullPath, options)
    if (found.user) return true
    const { redirect = loadDocument } = options
    redirect(found.signIn)
    return false
  }

function loadDocument(path: string): void {
  const { location } = globalThis as unknown as { location?: { assign(path: string): void } }
  if (!location) throw new Error('latchkey/vue: requireUser needs a redirect on a server')
  location.assign(path)
}
