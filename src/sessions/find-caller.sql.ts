import type { Queryable } from '../sql/queryable.ts'
import type { SessionRow } from './session.ts'

export interface CallerRow<User> {
  user: User
  /** Null when the session does not exist, is not this user's, or was revoked. */
  session: SessionRow | null
}

/**
 * The user that a token is about, and its session.
 *
 * @param user an expression for the user, whose table has the alias `u`.
 */
export async function findCaller<User>(
  sql: Queryable,
  user: () => string,
  userId: string,
  sessionId: string | null,
): Promise<CallerRow<User> | null> {
  const [row] = await sql.query<{ caller: CallerRow<User> }>({
    name: 'find_caller',
    text: () => `
      select json_build_object('user', ${user()}, 'session', row_to_json(s)) as caller
      from ${sql.table('users')} u
      left join ${sql.table('sessions')} s
        on s.id = $2 and s.user_id = u.id and s.revoked_at is null
      where u.id = $1 and u.deleted_at is null`,
    values: [userId, sessionId],
  })
  return row?.caller ?? null
}
