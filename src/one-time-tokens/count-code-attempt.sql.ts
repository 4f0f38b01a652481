import { sha256Hex } from '../kit/digest.ts'
import type { Queryable } from '../kit/queryable.ts'
import type { FoundToken } from './find-by-link.sql.ts'
import type { OneTimeTokenPurpose } from './one-time-token-purpose.ts'
import type { OneTimeTokenRow } from './one-time-token-row.ts'

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
 * before anything is compared, so parallel guesses cannot outrun it. Users are locked before their
 * tokens, as where tokens are spent, so that the two never wait for one another.
 *
 * @param user columns of the user, whose table has the alias `u`. The same for every caller: the name
 *   of a statement stands for one text.
 */
export async function countCodeAttempt<User>(
  sql: Queryable,
  user: () => string,
  attempt: CodeAttempt,
): Promise<FoundToken<User>[]> {
  const [tokens, users] = [sql.table('one_time_tokens'), sql.table('users')]
  return sql.query<FoundToken<User>>({
    name: 'count_code_attempt',
    text: () => `
      with ${counting(sql)}, candidates as (
        select t.id, t.user_id
        from ${tokens} t join ${users} u on u.id = t.user_id cross join counted
        where ${isCandidate} and t.attempts < ${maxCodeAttempts}
          and u.audience = $2 and u.deleted_at is null
        for key share of u
      )
      update ${tokens} t set attempts = t.attempts + 1
      from candidates c join ${users} u on u.id = c.user_id
      where t.id = c.id and t.attempts < ${maxCodeAttempts}
      returning to_jsonb(t) as token, ${user()}`,
    values: valuesOf(attempt),
  })
}

/**
 * Counts an attempt to enter the fixed code of a number, and finds whose number it is, or is to be,
 * with what was sent there.
 *
 * @param user columns of the user, whose table has the alias `u`.
 */
export async function countFixedCodeAttempt<User>(
  sql: Queryable,
  user: () => string,
  attempt: CodeAttempt,
): Promise<(User & { token: OneTimeTokenRow | null })[]> {
  const column = attempt.purposes.includes('phone_change') ? 'new_phone' : 'phone'
  return sql.query<User & { token: OneTimeTokenRow | null }>({
    name: `count_fixed_code_attempt_by_${column}`,
    text: () => `
      with ${counting(sql)}
      select to_jsonb(t) as token, ${user()}
      from ${sql.table('users')} u cross join counted
      left join ${sql.table('one_time_tokens')} t on t.user_id = u.id and ${isCandidate}
      where u.${column} = $1 and u.audience = $2 and u.deleted_at is null and not u.is_sso_user
      order by t.created_at desc nulls last`,
    values: valuesOf(attempt),
  })
}

/** Under what the codes tried for an address are counted. */
export const codeAttemptsKey = (audience: string, sentTo: string): string =>
  sha256Hex(`code:${audience}:${sentTo}`)

const isCandidate = 't.sent_to = $1 and t.purpose = any($3::text[]) and t.expires_at > $4'

/** One of what may be tried for the address; without it there is no row of `counted`. */
function counting(sql: Queryable): string {
  const level = `least($6::float8, b.tokens
    + greatest(0, extract(epoch from $4::timestamptz - b.refilled_at)) * $6::float8 / 3600)`
  return `counted as (
        insert into ${sql.table('rate_limit_buckets')} as b (key, tokens, refilled_at)
        values ($5, $6::float8 - 1, $4)
        on conflict (key) do update set tokens = ${level} - 1, refilled_at = $4
        where ${level} >= 1
        returning key
      )`
}

const valuesOf = ({ sentTo, audience, purposes, now }: CodeAttempt) => [
  sentTo,
  audience,
  `{${purposes.join()}}`,
  now.toISOString(),
  codeAttemptsKey(audience, sentTo),
  attemptsPerAddress,
]
