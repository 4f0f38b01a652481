import type { Queryable } from '../sql/queryable.ts'
import type { Rows } from '../sql/tables.ts'

/** Ends one session of a user. @returns whether there was one. */
export async function deleteSession(
  sql: Queryable,
  {
    userId,
    sessionId,
    auditRows,
  }: { userId: string; sessionId: string; auditRows: Rows<'audit_entries'> },
): Promise<boolean> {
  const ended = await sql.query({
    name: 'delete_session',
    text: () => `
      with s as (
        delete from ${sql.table('sessions')} where id = $1 and user_id = $2 returning id
      ), a as (
        ${sql.insertRows('audit_entries', '$3')} where exists (select from s)
      )
      select id from s`,
    values: [sessionId, userId, auditRows],
  })
  return ended.length > 0
}
