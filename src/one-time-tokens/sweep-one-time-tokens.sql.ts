import type { Queryable } from '../sql/queryable.ts'
import { statement } from '../sql/statement.ts'
import type { TableName } from '../sql/tables.ts'

interface Expired {
  expiredSince: Date
  limit: number
}

/**
 * Forgets links and codes that expired before then, a few at a time.
 *
 * @returns how many.
 */
export const sweepOneTimeTokens = (sql: Queryable, expired: Expired): Promise<number> =>
  sweep(sql, deleteTokens, expired)

/** The same of authorization codes. */
export const sweepAuthorizationCodes = (sql: Queryable, expired: Expired): Promise<number> =>
  sweep(sql, deleteCodes, expired)

const deleteExpired = (table: TableName) =>
  statement<{ expiredSince: string; limit: number }>(
    `sweep_${table}`,
    (sql, $) => `delete from ${sql.table(table)} where id in (
      select id from ${sql.table(table)} where expires_at < ${$.expiredSince}
      limit ${$.limit} for update skip locked) returning 1`,
  )

const deleteTokens = deleteExpired('one_time_tokens')
const deleteCodes = deleteExpired('authorization_codes')

async function sweep(
  sql: Queryable,
  deletion: typeof deleteTokens,
  { expiredSince, limit }: Expired,
): Promise<number> {
  const deleted = await sql.query(deletion, { expiredSince: expiredSince.toISOString(), limit })
  return deleted.length
}
