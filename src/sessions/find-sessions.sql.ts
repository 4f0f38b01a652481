import type { Queryable } from '../sql/queryable.ts'
import { statement } from '../sql/statement.ts'
import type { SessionRow } from './session.ts'

const find = statement<{ userId: string }, { session: SessionRow }>(
  'find_sessions',
  (sql, $) => `
    select to_jsonb(s) as session from ${sql.table('sessions')} s
    where s.user_id = ${$.userId} and s.revoked_at is null
    order by coalesce(s.refreshed_at, s.created_at) desc, s.id`,
)

/** A user's sessions that were not revoked, the one that was used last first. */
export async function findSessions(sql: Queryable, userId: string): Promise<SessionRow[]> {
  const rows = await sql.query(find, { userId })
  return rows.map(({ session }) => session)
}
