import type { Queryable } from '../kit/queryable.ts'

/** Ends all sessions of a user, in the name of somebody else. @returns how many; null for no such user. */
export async function endUserSessions(
  sql: Queryable,
  { userId, auditRows }: { userId: string; auditRows: string },
): Promise<number | null> {
  const [found] = await sql.query<{ ended: number }>({
    name: 'end_user_sessions',
    text: () => `
      with s as (
        delete from ${sql.table('sessions')} where user_id = $1 returning id
      ), a as (
        ${sql.insertRows('audit_entries', '$2')} where exists (select from s)
      )
      select (select count(*)::int from s) as ended from ${sql.table('users')} where id = $1`,
    values: [userId, auditRows],
  })
  return found?.ended ?? null
}
