import { memoize } from '../../platform/kit/memoize.ts'
import type { Precondition, PreconditionText, Queryable } from '../../platform/sql/queryable.ts'
import { type ParameterValues, statement } from '../../platform/sql/statement.ts'

type TryParameters = { guessing: ParameterValues; factorId: string | null }

/** A set of recovery codes; without hashes where no guess is left. */
interface RecoveryCodeSet {
  /** The key of the set, sealed; null for a set from before sets had keys. */
  secret: string | null
  /** The hashes of the unused codes. */
  unspent: string[]
}

const tryAfter = memoize(<Spent>(guessing: PreconditionText<Spent>) =>
  statement<TryParameters, Spent & RecoveryCodeSet>(
    'try_recovery_code',
    (sql, $) => `
      with ${guessing(sql, $.guessing)}
      select spent.*,
        (select secret from ${sql.table('factors')} where id = ${$.factorId}) as secret,
        to_json(array(
          select code_hash from ${sql.table('recovery_codes')}
          where spent.allowed and factor_id = ${$.factorId} and spent_at is null
        )) as unspent
      from spent`,
  ),
)

/**
 * Counts a guess at a user's recovery codes, and returns the set to compare it with. Where no guess
 * is left, and without a set, there are no codes to compare. It consumes no code: see
 * `pass-recovery-code.sql.ts`.
 */
export async function tryRecoveryCode<Spent>(
  sql: Queryable,
  guessing: Precondition<Spent>,
  { factorId }: { factorId: string | null },
): Promise<Spent & RecoveryCodeSet> {
  const [row] = await sql.query(tryAfter(guessing.text), {
    guessing: guessing.values,
    factorId,
  })
  if (!row) throw new Error('a guess was not counted')
  return row
}
