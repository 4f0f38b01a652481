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
      where id = ${$.sessionId} and user_id = ${$.userId} returning ${endedColumns()}
    )${sql.sessionReports('s')}, m as (
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
 * Returns the columns of ended sessions that capabilities report.
 *
 * @param row the alias of the table, with a dot.
 */
export const endedColumns = (row = ''): string =>
  ['id', 'user_id', 'oauth_client_id'].map((column) => `${row}${column}`).join(', ')

/**
 * Returns common table expressions that report the sessions of users who are deleted or banned.
 *
 * @param users a common table expression with their ids as `id`.
 * @param condition on the rows `s` and `owner`.
 */
export const reportSessionsOf = (sql: TableFragments, users: string, condition = 'true'): string =>
  `reported as (
      select ${endedColumns('s.')} from ${sql.table('sessions')} s join ${users} owner on s.user_id = owner.id
      where ${condition}
    )${sql.sessionReports('reported')}`

/**
 * Returns a statement that deletes the sessions of users. `returning` may follow it.
 *
 * @param users a common table expression, or a subquery in parentheses, with their ids as `id`.
 * @param condition on the rows `s` and `owner`.
 */
export const deleteSessionsOf = (sql: TableFragments, users: string, condition = 'true'): string =>
  deleteSessionsWhere(sql, `${condition} and s.user_id = owner.id`, [`${users} owner`])

/**
 * Returns a statement that deletes sessions. `returning` may follow it.
 *
 * @param condition on the rows `s`, and those of other tables.
 * @param others the other tables, or common table expressions.
 */
export const deleteSessionsWhere = (
  sql: TableFragments,
  condition: string,
  others: readonly string[] = [],
): string =>
  `delete from ${sql.table('sessions')} s ${others.length > 0 ? `using ${others.join(', ')}` : ''}
      where ${condition}`
