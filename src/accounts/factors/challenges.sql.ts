import { memoize } from '../../platform/kit/memoize.ts'
import { deleteSurplusRows } from '../../platform/sql/delete-rows.sql.ts'
import type { Precondition, PreconditionText, Queryable } from '../../platform/sql/queryable.ts'
import { type ParameterValues, statement } from '../../platform/sql/statement.ts'
import { type NewRow, type Rows, rowsOf } from '../../platform/sql/tables.ts'

/**
 * The maximum number of stored challenges per factor. A further one replaces the oldest of the
 * network with the most: a party with the password in fewer networks than that does not remove the
 * challenge of the owner.
 */
export const maxChallenges = 100

/** Returns an expression for the network of an address, as the limits of guesses use it. */
const networkOf = (address: string, ofIpv4: number, ofIpv6: number): string =>
  `network(set_masklen(${address}, case family(${address}) when 4 then ${ofIpv4} else ${ofIpv6} end))`

const storeAfter = memoize(<Spent>(condition: PreconditionText<Spent>) =>
  statement<StoreParameters, Spent & StoredChallenge>(
    'store_challenge',
    (sql, $) => `
      with ${condition(sql, $.condition)}, u as materialized (
        select id from ${sql.table('users')} where id = ${$.userId} for key share
      ), f as (
        update ${sql.table('factors')} f set last_challenged_at = ${$.now} from u
        where f.id = ${$.factorId} and f.user_id = u.id and (select allowed from spent) returning f.id
      ), surplus as (
        ${deleteSurplusRows(sql, 'challenges', {
          owner: 'factor_id = (select id from f)',
          most: maxChallenges,
          groups: { outer: networkOf('ip', 24, 48), inner: networkOf('ip', 32, 64) },
        })}
      ), c as (
        ${sql.insertRows('challenges', $.challengeRows)} where exists (select from f)
      ), m as (
        ${sql.insertRows('outbox_messages', $.messageRows)} where exists (select from f)
      ), a as (
        ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from f)
      )
      select spent.*, exists (select from f) as found, coalesce((
        select jsonb_agg(jsonb_build_object('id', k.credential_id, 'transports', k.transports) order by k.created_at)
        from ${sql.table('factors')} k where k.user_id = ${$.userId} and k.status = 'verified'
          and k.credential_id is not null), '[]') as credentials
      from spent`,
  ),
)

type StoreParameters = {
  condition: ParameterValues
  factorId: string
  userId: string
  now: string
  challengeRows: Rows<'challenges'>
  messageRows: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
}

/** The factors of a user when a challenge was stored. */
export interface StoredChallenge {
  /** Whether the factor still exists. */
  found: boolean
  /** The credentials of all verified security keys of the user. */
  credentials: { id: string; transports: string[] }[]
}

/**
 * Stores a challenge with the message that sends its code to a phone, in one statement. The user is
 * locked first, as by every change and erasure of a user, so that neither waits for the other.
 *
 * @returns the row of `spent`, and the factors.
 */
export async function storeChallenge<Spent>(
  sql: Queryable,
  condition: Precondition<Spent>,
  row: NewRow<'challenges'>,
  {
    userId,
    messageRows,
    auditRows,
  }: { userId: string; messageRows: Rows<'outbox_messages'>; auditRows: Rows<'audit_entries'> },
): Promise<Spent & StoredChallenge> {
  const [spent] = await sql.query(storeAfter(condition.text), {
    condition: condition.values,
    factorId: row.factor_id,
    userId,
    now: row.created_at,
    challengeRows: rowsOf('challenges', row),
    messageRows,
    auditRows,
  })
  if (!spent) throw new Error('a challenge was not stored')
  return spent
}

/**
 * The number of codes that a challenge accepts. It accepts one signature: a further attempt
 * requires a new challenge.
 */
const maxAttempts = `case when c.challenge_hash is null then 5 else 1 end`

/** A credential that a user has proved before, and its factor. */
interface EnrolledCredential {
  factor_id: string
  credential_id: string
  public_key: string
  sign_count: number
  backup_eligible: boolean
}

/** An attempt to pass a challenge. */
interface ChallengeAttempt {
  userId: string
  factorId: string
  challengeId: string
  /** The session of the attempt. */
  sessionId: string
  /** The submitted credential of a security key; null for any other factor. */
  credentialId: string | null
  /** The client's address; null where it is unknown. */
  ip: string | null
  now: Date
}

/** A challenge and its factor after an attempt was counted. */
export interface CountedAttempt {
  challenge: { id: string; code_hash: string | null; challenge_hash: string | null }
  /** The submitted credential; null where the user has not proved a factor with it. */
  credential: EnrolledCredential | null
  secret: string | null
  last_used_step: number | null
  /** Whether the attempt was counted; otherwise no output may be compared. */
  counted: boolean
  /** Whether the challenge was passed before, or failed too often. */
  is_spent: boolean
  is_expired: boolean
  is_from_elsewhere: boolean
  /** Whether the user has guesses left over all challenges. */
  allowed: boolean
}

const countAfter = memoize(<Spent>(spending: PreconditionText<Spent>) =>
  statement<CountParameters, CountedAttempt & Spent>('count_challenge_attempt', (sql, $) => {
    // The condition does not apply where one of the two addresses is unknown.
    const isFromElsewhere = `coalesce(c.ip <> ${$.ip}::inet, false)`
    const isSpent = `(c.spent_at is not null or c.attempts >= ${maxAttempts})`
    const mayCount =
      'exists (select from found where not is_spent and not is_expired and not is_from_elsewhere)'
    return `
      with found as (
        select c.id, c.code_hash, c.challenge_hash, f.secret, f.last_used_step, ${isSpent} as is_spent,
          c.expires_at <= ${$.now} as is_expired, ${isFromElsewhere} as is_from_elsewhere
        from ${sql.table('challenges')} c join ${sql.table('factors')} f on f.id = c.factor_id
        where c.id = ${$.challengeId} and f.id = ${$.factorId} and f.user_id = ${$.userId}
          and (c.challenge_hash is null or c.session_id = ${$.sessionId})
      ), ${spending(sql, $.spending, mayCount)}, counted as (
        update ${sql.table('challenges')} c set attempts = c.attempts + 1
        from found where c.id = found.id and not ${isSpent} and (select allowed from spent)
        returning c.id
      )
      select jsonb_build_object('id', id, 'code_hash', code_hash, 'challenge_hash', challenge_hash) as challenge,
        (select jsonb_build_object('factor_id', k.id, 'credential_id', k.credential_id, 'public_key', k.public_key,
          'sign_count', k.sign_count, 'backup_eligible', k.backup_eligible)
        from ${sql.table('factors')} k where k.credential_id = ${$.credentialId} and k.user_id = ${$.userId}
          and k.status = 'verified') as credential,
        secret, last_used_step, is_spent, is_expired, is_from_elsewhere, spent.*,
        exists (select from counted) as counted
      from found cross join spent`
  }),
)

type CountParameters = Omit<ChallengeAttempt, 'now'> & { spending: ParameterValues; now: string }

/**
 * Counts an attempt against its challenge and, by `spending`, against its user, before any code is
 * compared: parallel guesses cannot exceed either count.
 *
 * @returns null when the user has no such challenge of that factor, or submits the output of a
 *   security key in another session.
 */
export async function countChallengeAttempt<Spent>(
  sql: Queryable,
  spending: Precondition<Spent>,
  { now, ...attempt }: ChallengeAttempt,
): Promise<(CountedAttempt & Spent) | null> {
  const [row] = await sql.query(countAfter(spending.text), {
    spending: spending.values,
    ...attempt,
    now: now.toISOString(),
  })
  return row ?? null
}
