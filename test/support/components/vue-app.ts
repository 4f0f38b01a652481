import {
  AuthProvider,
  requireUser,
  SignedIn,
  SignedOut,
  useAuth,
  useAuthPages,
  useSession,
  type VueGuardOptions,
} from 'latchkey/vue'
import { createSSRApp, defineComponent, h } from 'vue'
import { createRouter, type RouterHistory, RouterView } from 'vue-router'
import type { AppProps } from './page-window.ts'

const Page = defineComponent({
  setup() {
    const client = useAuth()
    const pages = useAuthPages()
    const session = useSession()
    const signOut = () => client.signOut({ scope: 'local' })
    return () =>
      h('main', [
        h(SignedIn, null, {
          default: ({ user }: { user: { email?: string } }) =>
            h('p', [
              h('b', { id: 'user' }, user.email),
              h('i', session.value ? 'has a token' : ''),
              h('button', { type: 'button', onClick: signOut }, 'Sign out'),
            ]),
        }),
        h(SignedOut, null, {
          default: () => h('a', { href: pages.signIn('/vue?from=link') }, 'Sign in'),
        }),
        h('hr'),
      ])
  },
})

/** Creates the application and its router. */
export function createPageApp(
  props: AppProps,
  history: RouterHistory,
  redirect?: VueGuardOptions['redirect'],
) {
  const router = createRouter({
    history,
    routes: [
      { path: '/vue', component: Page },
      {
        path: '/vue/account',
        component: Page,
        beforeEnter: requireUser(props.client, { redirect }),
      },
    ],
  })
  const app = createSSRApp({
    render: () => h(AuthProvider, props, { default: () => h(RouterView) }),
  })
  return { app: app.use(router), router }
}
