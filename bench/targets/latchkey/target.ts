import { encodeRefreshToken } from '../../../src/accounts/sessions/refresh-token.ts'
import { emailOf, secret, sessionIdOf, sqlOf, templateEmail } from '../../kit/people.ts'
import { wireAsks } from '../../kit/wire-asks.ts'
import type { Target } from '../target.ts'

const userId = `${sqlOf.userId}::uuid`
const ofTemplate = `(select id from auth.users where email = '${templateEmail}')`

/** The built Latchkey. */
export const latchkey: Target = {
  name: 'Latchkey',
  server: ['targets/latchkey/server.ts'],
  users: [
    {
      table: 'auth.users',
      of: `id = ${ofTemplate}`,
      changes: { id: userId, email: sqlOf.email },
    },
    {
      table: 'auth.identities',
      of: `user_id = ${ofTemplate}`,
      changes: {
        id: `md5('identity ' || n)::uuid`,
        user_id: userId,
        subject: userId,
        identity_data: `t.identity_data || jsonb_build_object('sub', ${userId}, 'email', ${sqlOf.email})`,
      },
    },
  ],
  sessions: [
    {
      table: 'auth.sessions',
      of: `user_id = ${ofTemplate}`,
      changes: { id: `${sqlOf.sessionId}::uuid`, user_id: userId },
    },
  ],
  asks: {
    ...wireAsks((n, times) =>
      encodeRefreshToken(
        { current: secret, all: [secret] },
        { sessionId: sessionIdOf(n), counter: times },
      ),
    ),
    otp: (n) => ({ method: 'POST', path: '/otp', body: { email: emailOf(n) } }),
  },
}
