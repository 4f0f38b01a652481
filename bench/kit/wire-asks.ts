import type { Target } from '../targets/target.ts'
import { accessTokenOf } from './access-token.ts'
import { emailOf, password } from './people.ts'

/** Returns the requests of Latchkey's wire, which the floor supports, too. */
export const wireAsks = (refreshTokenOf: (n: number, times: number) => string): Target['asks'] => ({
  'sign-up': (n) => ({
    method: 'POST',
    path: '/signup',
    body: { email: `new-${emailOf(n)}`, password },
  }),
  'sign-in': (n) => ({
    method: 'POST',
    path: '/token?grant_type=password',
    body: { email: emailOf(n), password },
  }),
  refresh: (n, times) => ({
    method: 'POST',
    path: '/token?grant_type=refresh_token',
    body: { refresh_token: refreshTokenOf(n, times) },
  }),
  'get-user': (n) => ({ method: 'GET', path: '/user', headers: bearer(n) }),
  'sign-out': (n) => ({ method: 'POST', path: '/logout', headers: bearer(n) }),
  health: () => ({ method: 'GET', path: '/health' }),
  settings: () => ({ method: 'GET', path: '/settings' }),
  keys: () => ({ method: 'GET', path: '/.well-known/jwks.json' }),
})

const bearer = (n: number) => ({ authorization: `Bearer ${accessTokenOf(n)}` })
