import { memoize } from '../kit/memoize.ts'
import type { Precondition, PreconditionText, Queryable } from '../sql/queryable.ts'
import { type ParameterValues, statement } from '../sql/statement.ts'

type TryParameters = { guessing: ParameterValues; factorId: string | null; hashes: string }

const tryAfter = memoize(<Spent>(guessing: PreconditionText<Spent>) =>
  statement<TryParameters, Spent & { is_right: boolean }>(
    'try_recovery_code',
    (sql, $) => `
      with ${guessing(sql, $.guessing)}
      select spent.*, spent.allowed and exists (
        select from ${sql.table('recovery_codes')}
        where factor_id = ${$.factorId} and code_hash = any(${$.hashes}::text[]) and spent_at is null
      ) as is_right from spent`,
  ),
)

/**
 * Counts a guess at a user's recovery codes, and says whether it is one that is unspent. Where no guess is left, no
 * code is compared. Without a set, none is right. The code is not spent by it: see `pass-recovery-code.sql.ts`.
 */
export async function tryRecoveryCode<Spent>(
  sql: Queryable,
  guessing: Precondition<Spent>,
  { factorId, hashes }: { factorId: string | null; hashes: readonly string[] },
): Promise<Spent & { is_right: boolean }> {
  const [row] = await sql.query(tryAfter(guessing.text), {
    guessing: guessing.values,
    factorId,
    hashes: `{${hashes.join()}}`,
  })
  if (!row) throw new Error('a guess was not counted')
  return row
}
