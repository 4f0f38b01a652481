import type { TableFragments } from '../../platform/sql/tables.ts'

/**
 * Returns a statement that deletes the trusted devices of users.
 *
 * @param users a common table expression with their ids as `id`.
 */
export const deleteTrustedDevicesOf = (sql: TableFragments, users: string): string =>
  `delete from ${sql.table('trusted_devices')} d using ${users} owner where d.user_id = owner.id`
