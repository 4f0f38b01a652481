import { memoize } from '../../platform/kit/memoize.ts'
import type { Precondition, PreconditionText, Queryable } from '../../platform/sql/queryable.ts'
import { type ParameterValues, statement } from '../../platform/sql/statement.ts'

/**
 * The number of codes that a challenge accepts. It accepts one signature: a further attempt
 * requires a new challenge.
 */
const maxAttempts = `case when c.challenge_hash is null then 5 else 1 end`

/** A credential that a user has proved before, and its factor. */
export interface EnrolledCredential {
  factor_id: string
  credential_id: string
  public_key: string
  sign_count: number
  backup_eligible: boolean
}

/** An attempt to pass a challenge. */
export interface ChallengeAttempt {
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
