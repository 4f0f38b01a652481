import type { TableFragments } from '../../platform/sql/tables.ts'

/**
 * Returns statements that delete the access that users granted to clients: consents, with the codes
 * that rest on them, and requests that wait for a decision. The sessions of clients end with those
 * of the user. An attacker who knew the password may have given a client access.
 *
 * @param users a common table expression with their ids as `id`.
 */
export const endOauthGrantsOf = (sql: TableFragments, users: string): readonly string[] =>
  (['oauth_consents', 'oauth_authorizations', 'oauth_logins'] as const).map(
    (table) => `delete from ${sql.table(table)} r using ${users} owner where r.user_id = owner.id`,
  )
