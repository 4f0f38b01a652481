import type { Queryable } from '../sql/queryable.ts'
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
  sweep(sql, 'one_time_tokens', expired)

/** The same of authorization codes. */
export const sweepAuthorizationCodes = (sql: Queryable, expired: Expired): Promise<number> =>
  sweep(sql, 'authorization_codes', expired)

async function sweep(
  sql: Queryable,
  table: TableName,
  { expiredSince, limit }: Expired,
): Promise<number> {
  const rows = await sql.query({
    name: `sweep_${table}`,
    text: () => `delete from ${sql.table(table)} where id in (
      select id from ${sql.table(table)} where expires_at < $1
      limit $2 for update skip locked) returning 1`,
    values: [expiredSince.toISOString(), limit],
  })
  return rows.length
}
