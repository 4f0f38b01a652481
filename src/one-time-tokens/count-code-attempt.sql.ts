import { sha256Hex } from '../kit/digest.ts'
import type { Queryable } from '../kit/queryable.ts'
import type { FoundToken } from './find-by-link.sql.ts'
import type { OneTimeTokenPurpose } from './one-time-token.entity.ts'

export interface CodeAttempt {
  sentTo: string
  audience: string
  purposes: readonly OneTimeTokenPurpose[]
  now: Date
}

/** Wrong codes that spend a token's code. Its link goes on working. */
export const maxCodeAttempts = 5

/** Codes that may be tried for one address at once, and how many more in an hour, over all tokens. */
const attemptsPerAddress = 30

/**
 * Counts an attempt to enter a code for an address, and finds the tokens that it may be for. It counts
 * before anything is compared, so parallel guesses cannot outrun it.
 *
 * @param user columns of the user, whose table has the alias `u`. They are the same for every caller:
 *   the statement has one name, and so one text.
 */
export async function countCodeAttempt<User>(
  sql: Queryable,
  user: () => string,
  { sentTo, audience, purposes, now }: CodeAttempt,
): Promise<FoundToken<User>[]> {
  const level = `least($6::float8, b.tokens
    + greatest(0, extract(epoch from $4::timestamptz - b.refilled_at)) * $6::float8 / 3600)`
  return sql.query<FoundToken<User>>({
    name: 'count_code_attempt',
    text: () => `
      with counted as (
        insert into ${sql.table('rate_limit_buckets')} as b (key, tokens, refilled_at)
        values ($5, $6::float8 - 1, $4)
        on conflict (key) do update set tokens = ${level} - 1, refilled_at = $4
        where ${level} >= 1
        returning key
      )
      update ${sql.table('one_time_tokens')} t set attempts = t.attempts + 1
      from ${sql.table('users')} u, counted
      where t.sent_to = $1 and t.purpose = any($3::text[]) and t.expires_at > $4
        and t.attempts < ${maxCodeAttempts}
        and u.id = t.user_id and u.audience = $2 and u.deleted_at is null
      returning to_jsonb(t) as token, ${user()}`,
    values: [
      sentTo,
      audience,
      `{${purposes.join()}}`,
      now.toISOString(),
      sha256Hex(`code:${audience}:${sentTo}`),
      attemptsPerAddress,
    ],
  })
}
