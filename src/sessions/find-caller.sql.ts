import { memoize } from '../kit/memoize.ts'
import type { Queryable } from '../sql/queryable.ts'
import { statement } from '../sql/statement.ts'
import type { Selection } from '../sql/tables.ts'
import type { SessionRow } from './session.ts'

export interface CallerRow<User> {
  user: User
  /** Null when the session does not exist, is not this user's, or was revoked. */
  session: SessionRow | null
}

const findWith = memoize(<User>(user: Selection<User>) =>
  statement<{ userId: string; sessionId: string | null }, { caller: CallerRow<User> }>(
    'find_caller',
    (sql, $) => `
      select json_build_object('user', ${user(sql, 'u')}, 'session', row_to_json(s)) as caller
      from ${sql.table('users')} u
      left join ${sql.table('sessions')} s
        on s.id = ${$.sessionId} and s.user_id = u.id and s.revoked_at is null
      where u.id = ${$.userId} and u.deleted_at is null`,
  ),
)

/** The user that a token is about, and its session. */
export async function findCaller<User>(
  sql: Queryable,
  user: Selection<User>,
  userId: string,
  sessionId: string | null,
): Promise<CallerRow<User> | null> {
  const [row] = await sql.query(findWith(user), { userId, sessionId })
  return row?.caller ?? null
}
