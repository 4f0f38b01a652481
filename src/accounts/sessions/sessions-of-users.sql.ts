import type { TableFragments } from '../../platform/sql/tables.ts'

/**
 * Returns a statement that deletes the sessions of users. `returning` may follow it.
 *
 * @param users a common table expression, or a subquery in parentheses, with their ids as `id`.
 * @param condition on the rows `s` and `owner`.
 */
export const deleteSessionsOf = (sql: TableFragments, users: string, condition = 'true'): string =>
  `delete from ${sql.table('sessions')} s using ${users} owner
      where ${condition} and s.user_id = owner.id`
