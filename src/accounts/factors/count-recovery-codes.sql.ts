import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'

/**
 * The number of a user's recovery codes. The codes themselves are shown once, when they are
 * generated.
 */
export interface RecoveryCodesStatus {
  /** The id of the set, which is one factor. An operator removes the set by it. */
  id: string
  /** The number of codes that were generated together. */
  total: number
  /** The number of unused codes. */
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
