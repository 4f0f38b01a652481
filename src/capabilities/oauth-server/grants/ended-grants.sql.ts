import type { TableFragments } from '../../../platform/sql/tables.ts'

/**
 * Returns a statement that deletes authorizations of users: codes that no client has exchanged yet,
 * and requests that wait for a decision. The sessions of clients end with the user's sessions.
 *
 * @param users a common table expression with their ids as `id`.
 */
export const endAuthorizationsOf = (sql: TableFragments, users: string): string =>
  rowsOf(sql, users, 'oauth_authorizations')

/** Returns a statement that deletes the consents of users. */
export const endOauthConsentsOf = (sql: TableFragments, users: string): string =>
  rowsOf(sql, users, 'oauth_consents')

const rowsOf = (
  sql: TableFragments,
  users: string,
  table: 'oauth_authorizations' | 'oauth_consents',
): string => `delete from ${sql.table(table)} r using ${users} owner where r.user_id = owner.id`
