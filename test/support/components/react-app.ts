import {
  AuthProvider,
  requireUser,
  SignedIn,
  SignedOut,
  useAuth,
  useAuthPages,
  useSession,
  useUser,
} from 'latchkey/react'
import { createElement as h } from 'react'
import type { RouteObject } from 'react-router'
import type { AppProps } from './page-window.ts'

function Who() {
  const client = useAuth()
  const user = useUser()
  const session = useSession()
  return h(
    'p',
    null,
    h('b', { id: 'user' }, user?.email),
    h('i', null, session ? 'has a token' : ''),
    h('button', { type: 'button', onClick: () => client.signOut({ scope: 'local' }) }, 'Sign out'),
  )
}

function SignInLink() {
  return h('a', { href: useAuthPages().signIn('/react?from=link') }, 'Sign in')
}

const Page = () =>
  h('main', null, h(SignedIn, null, h(Who)), h(SignedOut, null, h(SignInLink)), h('hr'))

/** The routes of the application. Their provider is above the router. */
export const routesOf = ({ client }: AppProps): RouteObject[] => [
  { path: '/react', Component: Page },
  { path: '/react/account', middleware: [requireUser(client) as never], Component: Page },
  {
    path: '/react/loaded',
    loader: requireUser(client) as never,
    Component: Page,
  },
]

export const provided = (props: AppProps, child: ReturnType<typeof h>) =>
  h(AuthProvider, props, child)
