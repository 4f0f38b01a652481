import { memoize } from '../kit/memoize.ts'
import type { Precondition, PreconditionText, Queryable } from '../sql/queryable.ts'
import { type ParameterValues, statement } from '../sql/statement.ts'

/** Codes that a challenge takes. */
const maxAttempts = 5

/** An attempt to answer a challenge. */
export interface ChallengeAttempt {
  userId: string
  factorId: string
  challengeId: string
  /** The client's address, where it is known. */
  ip: string | null
  now: Date
}

/** What is known of a challenge and its factor. */
export interface CountedAttempt {
  challenge: { id: string; code_hash: string | null }
  secret: string | null
  last_used_step: number | null
  /** Whether the attempt counts; without that nothing may be compared. */
  counted: boolean
  /** Whether it was answered rightly, or wrongly too often. */
  is_spent: boolean
  is_expired: boolean
  is_from_elsewhere: boolean
  /** Whether the user has guesses left over all challenges. */
  allowed: boolean
}

const countAfter = memoize(<Spent>(spending: PreconditionText<Spent>) =>
  statement<CountParameters, CountedAttempt & Spent>('count_challenge_attempt', (sql, $) => {
    // Of an address that is not known on both sides there is nothing to say.
    const isFromElsewhere = `coalesce(c.ip <> ${$.ip}::inet, false)`
    const isSpent = `(c.spent_at is not null or c.attempts >= ${maxAttempts})`
    const mayCount =
      'exists (select from found where not is_spent and not is_expired and not is_from_elsewhere)'
    return `
      with found as (
        select c.id, c.code_hash, f.secret, f.last_used_step, ${isSpent} as is_spent,
          c.expires_at <= ${$.now} as is_expired, ${isFromElsewhere} as is_from_elsewhere
        from ${sql.table('challenges')} c join ${sql.table('factors')} f on f.id = c.factor_id
        where c.id = ${$.challengeId} and f.id = ${$.factorId} and f.user_id = ${$.userId}
      ), ${spending(sql, $.spending, mayCount)}, counted as (
        update ${sql.table('challenges')} c set attempts = c.attempts + 1
        from found where c.id = found.id and not ${isSpent} and (select allowed from spent)
        returning c.id
      )
      select jsonb_build_object('id', id, 'code_hash', code_hash) as challenge, secret,
        last_used_step, is_spent, is_expired, is_from_elsewhere, allowed,
        exists (select from counted) as counted
      from found cross join spent`
  }),
)

type CountParameters = Omit<ChallengeAttempt, 'now'> & { spending: ParameterValues; now: string }

/**
 * Counts an attempt against its challenge and, by `spending`, against its user, before any code is
 * compared: parallel guesses cannot outrun either count.
 *
 * @returns null when the user has no such challenge of that factor.
 */
export async function countChallengeAttempt<Spent>(
  sql: Queryable,
  spending: Precondition<Spent>,
  { userId, factorId, challengeId, ip, now }: ChallengeAttempt,
): Promise<(CountedAttempt & Spent) | null> {
  const [row] = await sql.query(countAfter(spending.text), {
    spending: spending.values,
    userId,
    factorId,
    challengeId,
    ip,
    now: now.toISOString(),
  })
  return row ?? null
}
