import type { Queryable } from '../sql/queryable.ts'
import type { SessionRow } from './session.ts'

/** A user's sessions that were not revoked, the one that was used last first. */
export async function findSessions(sql: Queryable, userId: string): Promise<SessionRow[]> {
  const rows = await sql.query<{ session: SessionRow }>({
    name: 'find_sessions',
    text: () => `select to_jsonb(s) as session from ${sql.table('sessions')} s
      where s.user_id = $1 and s.revoked_at is null
      order by coalesce(s.refreshed_at, s.created_at) desc, s.id`,
    values: [userId],
  })
  return rows.map(({ session }) => session)
}
