import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'

/** How many recovery codes a user has. The codes themselves are shown once, when they are generated. */
export interface RecoveryCodesStatus {
  /** Of the factor that they are together, by which an operator removes them. */
  id: string
  /** Those that were generated together. */
  total: number
  /** Those of them that nobody used. */
  remaining: number
}

const count = statement<{ factorId: string }, Omit<RecoveryCodesStatus, 'id'>>(
  'count_recovery_codes',
  (sql, $) => `
    select count(*)::int as total, (count(*) filter (where spent_at is null))::int as remaining
    from ${sql.table('recovery_codes')} where factor_id = ${$.factorId}`,
)

/** Counts the codes of a set. */
export async function countRecoveryCodes(
  sql: Queryable,
  factorId: string,
): Promise<RecoveryCodesStatus> {
  const [counted] = await sql.query(count, { factorId })
  return { id: factorId, total: 0, remaining: 0, ...counted }
}
