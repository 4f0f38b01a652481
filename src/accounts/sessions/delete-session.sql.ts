import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Rows, TableFragments } from '../../platform/sql/tables.ts'

export interface SessionDeletion {
  userId: string
  sessionId: string
  messageRows: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
}

const deletion = statement<SessionDeletion>(
  'delete_session',
  (sql, $) => `
    with s as (
      delete from ${sql.table('sessions')}
      where id = ${$.sessionId} and user_id = ${$.userId} returning id
    ), m as (
      ${sql.insertRows('outbox_messages', $.messageRows)} where exists (select from s)
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from s)
    )
    select id from s`,
)

/** Ends one session of a user. @returns whether the user had this session. */
export async function deleteSession(sql: Queryable, session: SessionDeletion): Promise<boolean> {
  const ended = await sql.query(deletion, session)
  return ended.length > 0
}

/**
 * Returns a statement that deletes the sessions of users. `returning` may follow it.
 *
 * @param users a common table expression, or a subquery in parentheses, with their ids as `id`.
 * @param condition on the rows `s` and `owner`.
 */
export const deleteSessionsOf = (sql: TableFragments, users: string, condition = 'true'): string =>
  `delete from ${sql.table('sessions')} s using ${users} owner
      where ${condition} and s.user_id = owner.id`
