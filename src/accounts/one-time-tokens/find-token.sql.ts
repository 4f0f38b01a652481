import { memoize } from '../../platform/kit/memoize.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Selection } from '../../platform/sql/tables.ts'
import type { OneTimeTokenPurpose } from './one-time-token.entity.ts'
import { hashSecret, type OneTimeTokenRow, tokenIdOf } from './one-time-token-row.ts'

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
