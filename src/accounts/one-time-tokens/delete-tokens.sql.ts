import { deleteSurplusRows } from '../../platform/sql/delete-surplus-rows.sql.ts'
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

/**
 * The maximum number of stored one-time tokens per user. Clients that request messages do not
 * replace each other's tokens, so the maximum is higher than the default budget of messages in the
 * default lifetime of a link.
 */
export const maxOneTimeTokens = 1000

/**
 * Returns a statement that deletes the oldest tokens of a user beyond the maximum, for the
 * statement that inserts others. A token that one of them replaces is left to the insert.
 *
 * @param user an expression for the id of the user.
 */
export const deleteSurplusTokens = (
  sql: TableFragments,
  user: string,
  tokenRows: string,
): string => `${deleteSurplusRows(sql, 'one_time_tokens', {
  owner: `user_id = ${user}`,
  most: maxOneTimeTokens,
  inserted: `jsonb_array_length(${tokenRows}::jsonb)`,
})}
  and not exists (select from jsonb_array_elements(${tokenRows}::jsonb) r
    where r ->> 'purpose' = purpose and r ->> 'requested_from' = requested_from)`
