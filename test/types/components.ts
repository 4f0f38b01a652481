/** The parts of front ends, in each framework. */
import {
  type AuthClient,
  type AuthOptions,
  type AuthPages,
  AuthProvider,
  type AuthSession,
  type AuthUser,
  type CurrentSession,
  type GuardOptions,
  type ReactRouterGuard,
  type RouterRequest,
  requireUser,
  SignedIn,
  SignedOut,
  useAuth,
  useAuthPages,
  useSession,
  useUser,
} from 'latchkey/react'
import {
  type Current,
  type LoadRedirect,
  provideAuth,
  requireUser as requireUserInSvelte,
  AuthProvider as SvelteAuthProvider,
  SignedIn as SvelteSignedIn,
  SignedOut as SvelteSignedOut,
  useAuth as useAuthInSvelte,
  useSession as useSessionInSvelte,
  useUser as useUserInSvelte,
} from 'latchkey/svelte'
import {
  createVueAuth,
  requireUser as requireUserInVue,
  type SessionRef,
  useUser as useUserInVue,
  type VueAuth,
  AuthProvider as VueAuthProvider,
  type VueGuardOptions,
  SignedIn as VueSignedIn,
  SignedOut as VueSignedOut,
} from 'latchkey/vue'

declare const client: AuthClient

const options: AuthOptions = { client, session: null, basePath: '/auth' }
const guard: GuardOptions = { signIn: (returnTo) => `/login?from=${returnTo}` }

export function inReact(): string {
  const user: AuthUser | null = useUser()
  const session: CurrentSession = useSession()
  const known: AuthSession | null = session ?? null
  const pages: AuthPages = useAuthPages()
  void useAuth().signOut({ scope: 'local' })
  return `${user?.email} ${known?.access_token} ${pages.signIn('/plans')} ${pages.account}`
}

export const ofReact = [AuthProvider, SignedIn, SignedOut]

const routerGuard: ReactRouterGuard = requireUser(client, guard)
export const loader = (args: RouterRequest) => routerGuard(args)

const redirect: LoadRedirect = (_status, location) => {
  throw new Error(location)
}
export const load = async ({ url }: { url: URL }) => ({
  user: await requireUserInSvelte(client, url, redirect, guard),
})

export function inSvelte(): string {
  provideAuth(options)
  const user: Current<AuthUser | null> = useUserInSvelte()
  void useAuthInSvelte().getSession()
  return `${user.current?.id} ${useSessionInSvelte().current?.access_token}`
}

export const ofSvelte = [SvelteAuthProvider, SvelteSignedIn, SvelteSignedOut]

const vueGuard: VueGuardOptions = { ...guard, redirect: (path) => void path }
export const beforeEnter = requireUserInVue(client, vueGuard)

export function inVue(): string | undefined {
  const session: SessionRef = { value: null }
  const auth: VueAuth = createVueAuth(options, session)
  auth.follow()()
  return useUserInVue().value?.email
}

export const ofVue = [VueAuthProvider, VueSignedIn, VueSignedOut]
