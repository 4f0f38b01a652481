import type { TableFragments } from '../../platform/sql/tables.ts'

/**
 * Returns a statement that deletes the one-time tokens of users. `returning` may follow it.
 *
 * @param users a common table expression, or a subquery in parentheses, with their ids as `id`.
 * @param condition on the rows `t`.
 */
export const deleteTokensOf = (sql: TableFragments, users: string, condition = 'true'): string =>
  `delete from ${sql.table('one_time_tokens')} t using ${users} owner
      where ${condition} and t.user_id = owner.id`

/**
 * Returns a statement that deletes the authorization codes of users, as {@link deleteTokensOf},
 * with the rows `c`.
 */
export const deleteCodesOf = (sql: TableFragments, users: string, condition = 'true'): string =>
  `delete from ${sql.table('authorization_codes')} c using ${users} owner
      where ${condition} and c.user_id = owner.id`
