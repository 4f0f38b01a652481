import type { TableFragments } from '../../platform/sql/tables.ts'

/**
 * Returns a statement that deletes the passkeys of users.
 *
 * @param users a common table expression, or a subquery in parentheses, with their ids as `id`.
 * @param condition on the rows `p`.
 */
export const deletePasskeysOf = (sql: TableFragments, users: string, condition = 'true'): string =>
  `delete from ${sql.table('passkeys')} p using ${users} owner
      where ${condition} and p.user_id = owner.id`

/** Returns an update that suspends the passkeys of users, unless they are suspended already. */
export const suspendPasskeysOf = (
  sql: TableFragments,
  users: string,
  suspendedAt: string,
): string =>
  `update ${sql.table('passkeys')} p set suspended_at = coalesce(p.suspended_at, ${suspendedAt})
      from ${users} owner where ${suspendedAt}::timestamptz is not null and p.user_id = owner.id`

/** Returns an update that ends the suspension of one passkey of a user. */
export const resumePasskeyOf = (sql: TableFragments, users: string, passkeyId: string): string =>
  `update ${sql.table('passkeys')} p set suspended_at = null
      from ${users} owner where p.id = ${passkeyId} and p.user_id = owner.id`

/**
 * Returns a statement that deletes the WebAuthn challenges of users, as {@link deletePasskeysOf},
 * with the rows `c`.
 */
export const deleteWebAuthnChallengesOf = (
  sql: TableFragments,
  users: string,
  condition = 'true',
): string =>
  `delete from ${sql.table('web_authn_challenges')} c using ${users} owner
      where ${condition} and c.user_id = owner.id`
