import type { TableFragments } from '../../platform/sql/tables.ts'

/**
 * A deletion of the trusted devices of users.
 *
 * @param users a common table expression, or a subquery in parentheses, with their ids as `id`.
 * @param condition on the rows `d`.
 */
export const deleteTrustedDevicesOf = (
  sql: TableFragments,
  users: string,
  condition = 'true',
): string =>
  `delete from ${sql.table('trusted_devices')} d using ${users} owner
      where ${condition} and d.user_id = owner.id`
