import { sessionIdOf, sqlOf, templateEmail } from '../kit/people.ts'
import { wireAsks } from '../kit/wire-asks.ts'
import type { Target } from '../targets/target.ts'
import { refreshTokenOf } from './tokens.ts'

const userId = `${sqlOf.userId}::uuid`
const ofTemplate = `(select id from floor.users where email = '${templateEmail}')`

/**
 * The smallest server that does the same work, in one statement per request (two for a sign-in).
 */
export const floor: Target = {
  name: 'Floor',
  server: ['floor/server.ts'],
  users: [
    { table: 'floor.users', of: `id = ${ofTemplate}`, changes: { id: userId, email: sqlOf.email } },
    {
      table: 'floor.identities',
      of: `user_id = ${ofTemplate}`,
      changes: { id: `md5('identity ' || n)::uuid`, user_id: userId },
    },
  ],
  sessions: [
    {
      table: 'floor.sessions',
      of: `user_id = ${ofTemplate}`,
      changes: { id: `${sqlOf.sessionId}::uuid`, user_id: userId },
    },
  ],
  asks: wireAsks((n, times) => refreshTokenOf(sessionIdOf(n), times)),
}
