import { createHmac } from 'node:crypto'
import { emailOf, md5, password, secret, sqlOf, templateEmail } from '../../kit/people.ts'
import type { Target } from '../target.ts'

const ofTemplate = `(select id from "user" where email = '${templateEmail}')`

/** Better Auth from npm. It hashes with scrypt, its default. */
export const betterAuth: Target = {
  name: 'Better Auth',
  server: ['targets/better-auth/server.ts'],
  users: [
    {
      table: '"user"',
      of: `id = ${ofTemplate}`,
      changes: { id: sqlOf.userId, email: sqlOf.email },
    },
    {
      table: 'account',
      of: `"userId" = ${ofTemplate}`,
      changes: {
        id: `md5('account ' || n)`,
        userId: sqlOf.userId,
        accountId: sqlOf.userId,
      },
    },
  ],
  sessions: [
    {
      table: 'session',
      of: `"userId" = ${ofTemplate}`,
      changes: { id: sqlOf.sessionId, userId: sqlOf.userId, token: `md5('token ' || n)` },
    },
  ],
  asks: {
    'sign-up': (n) => ({
      method: 'POST',
      path: '/api/auth/sign-up/email',
      headers: { origin },
      body: { name: 'A Person', email: `new-${emailOf(n)}`, password },
    }),
    'sign-in': (n) => ({
      method: 'POST',
      path: '/api/auth/sign-in/email',
      headers: { origin },
      body: { email: emailOf(n), password },
    }),
    'get-user': (n) => ({
      method: 'GET',
      path: '/api/auth/get-session',
      headers: { cookie: cookieOf(n) },
    }),
    'sign-out': (n) => ({
      method: 'POST',
      path: '/api/auth/sign-out',
      headers: { origin, cookie: cookieOf(n) },
      body: {},
    }),
  },
}

/** Better Auth with our hash. Operations without a hash are equal, and not measured again. */
export const betterAuthWithArgon2: Target = {
  ...betterAuth,
  name: 'Better Auth, argon2',
  server: ['targets/better-auth/server.ts', 'argon2'],
  asks: onlyHashing(betterAuth.asks),
}

function onlyHashing(asks: Target['asks']): Target['asks'] {
  const { 'sign-up': signUp, 'sign-in': signIn } = asks
  return { ...(signUp && { 'sign-up': signUp }), ...(signIn && { 'sign-in': signIn }) }
}

/** The `baseURL` of server.ts. */
const origin = 'http://127.0.0.1'

function cookieOf(n: number): string {
  const token = md5(`token ${n}`)
  const signature = createHmac('sha256', secret).update(token).digest('base64')
  return `better-auth.session_token=${encodeURIComponent(`${token}.${signature}`)}`
}
