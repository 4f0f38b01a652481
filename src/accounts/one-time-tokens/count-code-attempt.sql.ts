import { sha256Hex } from '../../platform/kit/digest.ts'
import { memoize } from '../../platform/kit/memoize.ts'
import { latestInstant, secondsSince, sharedInstant } from '../../platform/sql/clock-set-back.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { type Placeholders, statement } from '../../platform/sql/statement.ts'
import type { Selection, TableFragments } from '../../platform/sql/tables.ts'
import { isFoundByAddress } from '../users/found-by-address.sql.ts'
import type { OneTimeTokenPurpose } from './one-time-token.entity.ts'
import { type OneTimeTokenRow, resenderOf } from './one-time-token-row.ts'
import type { FoundToken } from './one-time-tokens.sql.ts'

export interface CodeAttempt {
  sentTo: string
  audience: string
  purposes: readonly OneTimeTokenPurpose[]
  /**
   * The client that submits the code, compared with the requester of each token. Null for a client
   * that cannot be distinguished.
   */
  triedFrom: string | null
  now: Date
  /** The instant that replaces the database's clock; null, as in production, for that clock. */
  databaseNow: Date | null
}

/**
 * The evidence that a client requested a code for a number, whether or not any user has the number.
 */
export interface CodeRequest {
  /** The bucket that the client's last request filled; null where only a token proves a request. */
  key: string | null
  /** Codes that were requested longer ago have expired. */
  lifetimeSeconds: number
}

/** The tokens that an attempt may be compared with. */
export interface CountedCodeAttempt<User> {
  candidates: FoundToken<User>[]
  /**
   * Whether the carrier may be requested to check the code. With {@link CodeRequest.key} this does
   * not depend on whether a user has the number.
   */
  mayQueryCarrier: boolean
}

/**
 * The number of wrong codes, of the requester or of all other clients together, after which a token
 * accepts no more codes from them. Its link remains valid.
 */
const maxCodeAttempts = 5

/** The number of codes at once, and the number of further ones per hour, over all tokens. */
interface Tries {
  most: number
  perHour: number
}

/**
 * The limit of one client for an address, and the limit of all clients together that did not
 * request the code.
 */
const triesPerAddress: Tries = { most: 30, perHour: 30 }

/**
 * The limit of clients that did not request the code, where a carrier counts the attempts for a
 * number as well. Twilio Verify accepts five in ten minutes, of which at least two remain for the
 * requester.
 */
const othersTriesAtCarrier: Tries = { most: 2, perHour: 6 }

/**
 * The number of tokens of other requesters that a code is compared with: the newest of each
 * purpose.
 */
const othersCompared = 3

type CarrierParameters = {
  requestKey: string | null
  requestLifetimeSeconds: number
  /** The key of the client's attempts at the carrier after its request. */
  requestTriesKey: string
}

type AttemptRow<User> = { may_query: boolean; is_found: boolean } & FoundToken<User>

const countWith = memoize(<User>(user: Selection<User>) =>
  statement<AttemptParameters & CarrierParameters, AttemptRow<User>>(
    'count_code_attempt',
    (sql, $) => {
      const [tokens, users] = [sql.table('one_time_tokens'), sql.table('users')]
      const now = sharedInstant($.databaseNow)
      return `
      with ${counting(sql, $)}, live as (
        select t.id, ${isOwn('t', $)} as is_own, t.requested_from = 'operator' as is_operators,
          row_number() over (
            partition by t.purpose, ${isOwn('t', $)} order by t.created_at desc, t.id) as place
        from ${tokens} t where ${isCandidate($)}
      ), compared as (
        select id, is_own, ${triesKey('id', 'is_own')} as key from live
        where case when is_own then exists (select from counted where key = ${$.ownKey})
          else exists (select from counted where key = ${$.othersKey})
            and (place <= ${othersCompared} or is_operators) end
      ), tried as (
        insert into ${sql.table('rate_limit_buckets')} as b (key, tokens, refilled_at)
        select key, ${maxCodeAttempts - 1}, ${now} from (
          select key from compared
          union all select ${decoyTriesKey($)} where not exists (select from compared)
        ) keys where ${isComplete('counted')} order by key
        on conflict (key) do update set tokens = b.tokens - 1,
          refilled_at = ${latestInstant('b.refilled_at', now)} where b.tokens >= 1
        returning key
      ), requested as (
        insert into ${sql.table('rate_limit_buckets')} as b (key, tokens, refilled_at)
        select ${$.requestTriesKey}::text, ${maxCodeAttempts - 1}, a.refilled_at from ${sql.table('rate_limit_buckets')} a
        where a.key = ${$.requestKey}::text
          and a.refilled_at > ${now} - make_interval(secs => ${$.requestLifetimeSeconds}::float8)
          and exists (select from counted where key = ${$.ownKey}) and ${isComplete('tried')}
        on conflict (key) do update set refilled_at = excluded.refilled_at,
          tokens = case when b.refilled_at < excluded.refilled_at then excluded.tokens else b.tokens - 1 end
        where b.refilled_at < excluded.refilled_at or b.tokens >= 1
        returning key
      ), carrier as (
        select exists (select from counted where key = ${$.othersKey}) or exists (select from requested)
          or (${$.requestKey}::text is null and exists (select from tried join compared using (key) where is_own))
          as may_query
      )
      select may_query, u.id is not null as is_found, to_jsonb(t) as token, ${user(sql, 'u')}
      from carrier left join tried on true left join compared c using (key)
      left join ${tokens} t on t.id = c.id
      left join ${users} u on u.id = t.user_id and u.deleted_at is null`
    },
  ),
)

/**
 * Counts an attempt to enter a code for an address, and returns the tokens to compare it with. It
 * counts before any comparison, so that parallel guesses cannot exceed the limits. A token that the
 * same client requested has its own attempts, which no other client can use up. Tokens of other
 * requesters share theirs among all clients.
 *
 * All counts are buckets, in an unlogged table. To write a row of tokens would take longer for a
 * known address, by the time that the disk needs. Where no code waits, a bucket is written as well,
 * and the columns of the user are formatted from nulls, so that the attempt takes as long.
 *
 * @param codeRequest the client's request for the code, where a carrier counts attempts as well;
 *   else null.
 */
export async function countCodeAttempt<User>(
  sql: Queryable,
  user: Selection<User>,
  attempt: CodeAttempt,
  codeRequest: CodeRequest | null = null,
): Promise<CountedCodeAttempt<User>> {
  const { audience, sentTo, triedFrom } = attempt
  const rows = await sql.query(countWith(user), {
    ...valuesOf(attempt, codeRequest !== null),
    requestKey: codeRequest?.key ?? null,
    requestLifetimeSeconds: codeRequest?.lifetimeSeconds ?? 0,
    requestTriesKey: codeAttemptsKey(audience, sentTo, ownAtCarrier(triedFrom)),
  })
  return {
    candidates: rows.filter(({ is_found }) => is_found),
    mayQueryCarrier: rows.some(({ may_query }) => may_query),
  }
}

type FixedCodeRow<User> = User & { token: OneTimeTokenRow | null }

const countFixedWith = memoize(<User>(user: Selection<User>) => {
  const countBy = (column: 'phone' | 'new_phone', condition = 'true') =>
    statement<AttemptParameters, FixedCodeRow<User>>(
      `count_fixed_code_attempt_by_${column}`,
      (sql, $) => `
      with ${counting(sql, $)}
      select to_jsonb(t) as token, ${user(sql, 'u')}
      from ${sql.table('users')} u
      left join ${sql.table('one_time_tokens')} t on t.user_id = u.id and ${isCandidate($)}
      where exists (select from counted where key = ${$.othersKey} or (key = ${$.ownKey} and ${isOwn('t', $)}))
        and u.${column} = ${$.sentTo} and ${condition} and ${isFoundByAddress('u')}
        and (u.audience = ${$.audience} or t.id is not null)
      order by ${isOwn('t', $)} desc nulls last, t.created_at desc nulls last`,
    )
  // A change whose codes were revoked keeps its number, without the time.
  const isAwaited = 'u.phone_change_sent_at is not null'
  return { phone: countBy('phone'), newPhone: countBy('new_phone', isAwaited) }
})

/**
 * Counts an attempt to enter the fixed code of a number, and returns the users with this number,
 * confirmed or pending, with the tokens that were sent to it.
 */
export async function countFixedCodeAttempt<User>(
  sql: Queryable,
  user: Selection<User>,
  attempt: CodeAttempt,
): Promise<FixedCodeRow<User>[]> {
  const column = attempt.purposes.includes('phone_change') ? 'newPhone' : 'phone'
  return sql.query(countFixedWith(user)[column], valuesOf(attempt))
}

/**
 * Returns a condition that is true once a part of the statement has written all of its rows.
 * Without it, the data decide which part is first, so that concurrent attempts would lock the rows
 * in different orders.
 */
const isComplete = (part: string): string => `(select count(*) from ${part}) >= 0`

/**
 * Returns an expression for the key of the attempts for one token, by its requester or by all other
 * clients.
 */
const triesKey = (id: string, isOwn: string): string =>
  `'code-tries:' || ${id} || case when ${isOwn} then '' else ':others' end`

/** Returns an expression for the key that is counted where no code waits for the address. */
const decoyTriesKey = ($: Placeholders<AttemptParameters>): string =>
  `'code-tries:' || left(${$.othersKey}::text, 32)`

/**
 * A key in place of a client: all clients that did not request the code, where a carrier counts as
 * well.
 */
export const atCarrier = 'carrier'

/** Returns the key, in place of a client, of its own attempts at the carrier after its request. */
export const ownAtCarrier = (client: string | null): string => `${atCarrier}:${client}`

/**
 * Returns the key of the codes that a client submits for an address; without a client, that of all
 * others together.
 */
export const codeAttemptsKey = (
  audience: string,
  sentTo: string,
  triedFrom: string | null = null,
): string => sha256Hex(JSON.stringify(['code', audience, sentTo, triedFrom]))

const isCandidate = ($: Placeholders<AttemptParameters>): string =>
  `t.sent_to = ${$.sentTo} and t.audience = ${$.audience} and t.purpose = any(${$.purposes}::text[])
    and t.expires_at > ${$.now}`

const isOwn = (token: string, $: Placeholders<AttemptParameters>): string =>
  `coalesce(${token}.requested_from in (${$.triedFrom}::text, ${$.resentFrom}::text), false)`

/**
 * Returns the expression that counts an attempt for the address, by this client and by all clients.
 * Each limit that is not exceeded is a row of `counted`.
 */
function counting(sql: TableFragments, $: Placeholders<AttemptParameters>): string {
  const of = (others: string, own: string) =>
    `case when b.key = ${$.othersKey} then ${others} else ${own} end`
  const most = of(`${$.othersMost}::float8`, `${$.ownMost}::float8`)
  const perHour = of(`${$.othersPerHour}::float8`, `${$.ownMost}::float8`)
  const now = sharedInstant($.databaseNow)
  const elapsed = secondsSince('b.refilled_at', now)
  const level = `least(${most}, b.tokens + ${elapsed} * ${perHour} / 3600)`
  return `counted as (
        insert into ${sql.table('rate_limit_buckets')} as b (key, tokens, refilled_at)
        select key, most - 1, ${now}
        from unnest(array[${$.othersKey}, ${$.ownKey}],
          array[${$.othersMost}::float8, ${$.ownMost}::float8]) as counts (key, most)
        where key is not null order by key
        on conflict (key) do update set tokens = ${level} - 1,
          refilled_at = ${latestInstant('b.refilled_at', now)}
        where ${level} >= 1
        returning key
      )`
}

type AttemptParameters = {
  sentTo: string
  audience: string
  purposes: string
  triedFrom: string | null
  /** The client, as it is counted where it requests a message again. */
  resentFrom: string | null
  now: string
  databaseNow: string | null
  /** The key of all clients that did not request the code. */
  othersKey: string
  othersMost: number
  othersPerHour: number
  /** The key of the client. */
  ownKey: string | null
  ownMost: number
}

function valuesOf(attempt: CodeAttempt, isCountedByCarrier = false): AttemptParameters {
  const { sentTo, audience, purposes, triedFrom, now, databaseNow } = attempt
  const isBounded = isCountedByCarrier && triedFrom !== null
  const others = isBounded ? othersTriesAtCarrier : triesPerAddress
  return {
    sentTo,
    audience,
    purposes: `{${purposes.join()}}`,
    triedFrom,
    resentFrom: triedFrom === null ? null : resenderOf(triedFrom),
    now: now.toISOString(),
    databaseNow: databaseNow?.toISOString() ?? null,
    othersKey: codeAttemptsKey(audience, sentTo, isBounded ? atCarrier : null),
    othersMost: others.most,
    othersPerHour: others.perHour,
    ownKey: triedFrom === null ? null : codeAttemptsKey(audience, sentTo, triedFrom),
    ownMost: triesPerAddress.most,
  }
}
