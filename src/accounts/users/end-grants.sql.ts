import type { TableFragments } from '../../platform/sql/tables.ts'

/**
 * Returns common table expressions that end the grants of users: rows of capabilities that give a
 * user or a device a right, such as trusted devices. The first one selects these users, so that a
 * statement uses the parameters of the condition whichever capabilities there are.
 *
 * @param users a common table expression, or a subquery in parentheses, with their ids as `id`.
 * @param condition on the rows `owner` of `users`.
 */
export const endGrantsOf = (sql: TableFragments, users: string, condition = 'true'): string =>
  `without_grants as (
      select owner.id from ${users} owner where ${condition}
    )${sql.grantEndings('without_grants')}`

/** Returns common table expressions that end the consents of users, as {@link endGrantsOf} does. */
export const endConsentsOf = (sql: TableFragments, users: string, condition = 'true'): string =>
  `without_consents as (
      select owner.id from ${users} owner where ${condition}
    )${sql.consentEndings('without_consents')}`
