import type { RootKeys } from '../../platform/kit/derived-keys.ts'
import { sha256Hex } from '../../platform/kit/digest.ts'
import { memoize } from '../../platform/kit/memoize.ts'
import { deleteSurplusRows } from '../../platform/sql/delete-rows.sql.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Selection, TableFragments } from '../../platform/sql/tables.ts'
import type { AuthorizationCodeRow } from './authorization-code.ts'
import type { OneTimeTokenPurpose } from './one-time-token.entity.ts'
import { hashCode, hashSecret, type OneTimeTokenRow, tokenIdOf } from './one-time-token-row.ts'

/** A token with columns of its user. */
export type FoundToken<User> = User & { token: OneTimeTokenRow }

const findWith = memoize(<User>(user: Selection<User>) =>
  statement<{ id: string; tokenHash: string; purposes: string; now: string }, FoundToken<User>>(
    'find_one_time_token_by_link',
    (sql, $) => `
      select to_jsonb(t) as token, ${user(sql, 'u')}
      from ${sql.table('one_time_tokens')} t join ${sql.table('users')} u on u.id = t.user_id
      where t.id = ${$.id} and t.token_hash = ${$.tokenHash} and t.purpose = any(${$.purposes}::text[])
        and t.expires_at > ${$.now} and u.deleted_at is null`,
  ),
)

/** Returns the token of a link with its user. It does not consume the token. */
export async function findByLink<User>(
  sql: Queryable,
  user: Selection<User>,
  {
    secret,
    purposes,
    now,
  }: { secret: string; purposes: readonly OneTimeTokenPurpose[]; now: Date },
): Promise<FoundToken<User> | null> {
  return findByLinkHash(sql, user, { tokenHash: hashSecret(secret), purposes, now })
}

/** Returns the token for the hash of a link's secret. */
export async function findByLinkHash<User>(
  sql: Queryable,
  user: Selection<User>,
  {
    tokenHash,
    purposes,
    now,
  }: { tokenHash: string; purposes: readonly OneTimeTokenPurpose[]; now: Date },
): Promise<FoundToken<User> | null> {
  const [found] = await sql.query(findWith(user), {
    id: tokenIdOf(tokenHash),
    tokenHash,
    purposes: `{${purposes.join()}}`,
    now: now.toISOString(),
  })
  return found ?? null
}

const findLiveWith = memoize(<User>(user: Selection<User>) =>
  statement<{ id: string; now: string }, FoundToken<User>>(
    'find_live_one_time_token',
    (sql, $) => `
      select to_jsonb(t) as token, ${user(sql, 'u')}
      from ${sql.table('one_time_tokens')} t join ${sql.table('users')} u on u.id = t.user_id
      where t.id = ${$.id} and t.expires_at > ${$.now} and u.deleted_at is null`,
  ),
)

/** Returns a token as stored now, with its user; null once it is consumed, revoked or expired. */
export async function findLiveToken<User>(
  sql: Queryable,
  user: Selection<User>,
  { id, now }: { id: string; now: Date },
): Promise<FoundToken<User> | null> {
  const [found] = await sql.query(findLiveWith(user), { id, now: now.toISOString() })
  return found ?? null
}

const replaceCode = statement<{ id: string; codeHash: string }>(
  'replace_one_time_code',
  (sql, $) => `
    update ${sql.table('one_time_tokens')} set code_hash = ${$.codeHash} where id = ${$.id}`,
)

/** Stores the code that a carrier has generated and approved, in place of the one of the token. */
export async function storeCode(
  { sql, roots }: { sql: Queryable; roots: RootKeys },
  { id, purpose, user_id: userId }: Pick<OneTimeTokenRow, 'id' | 'purpose' | 'user_id'>,
  code: string,
): Promise<void> {
  await sql.query(replaceCode, { id, codeHash: hashCode(roots.current, { purpose, userId }, code) })
}

const findCodeWith = memoize(<User>(user: Selection<User>) =>
  statement<{ codeHash: string }, User & { code: AuthorizationCodeRow }>(
    'find_authorization_code',
    (sql, $) => `
      select to_jsonb(c) as code, ${user(sql, 'u')}
      from ${sql.table('authorization_codes')} c join ${sql.table('users')} u on u.id = c.user_id
      where c.code_hash = ${$.codeHash} and u.deleted_at is null`,
  ),
)

/**
 * Returns the row of a code with its user. It does not consume the code: a wrong verifier leaves it
 * valid.
 */
export async function findAuthorizationCode<User>(
  sql: Queryable,
  user: Selection<User>,
  code: string,
): Promise<(User & { code: AuthorizationCodeRow }) | null> {
  const [found] = await sql.query(findCodeWith(user), { codeHash: sha256Hex(code) })
  return found ?? null
}

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
