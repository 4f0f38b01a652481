import type { TableFragments } from '../../platform/sql/tables.ts'

/**
 * Returns a statement that deletes the factors of users.
 *
 * @param users a common table expression, or a subquery in parentheses, with their ids as `id`.
 * @param condition on the rows `f`.
 */
export const deleteFactorsOf = (sql: TableFragments, users: string, condition = 'true'): string =>
  `delete from ${sql.table('factors')} f using ${users} owner
      where ${condition} and f.user_id = owner.id`
