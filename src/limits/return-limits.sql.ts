import type { Queryable } from '../platform/sql/queryable.ts'
import { statement } from '../platform/sql/statement.ts'
import type { TableFragments } from '../platform/sql/tables.ts'
import type { SendLimits } from './send-limits.ts'

type SpentLimits = {
  /** Budgets and shares as JSON, in the order in which they were spent. */
  budgets: string
  intervalKey: string | null
  /** The shared budgets of an address, in the same form. */
  shared: string
}

const returnSpent = statement<SpentLimits>('return_send_limits', (sql, $) => {
  const buckets = sql.table('rate_limit_buckets')
  const held = (spent: string, before: string) => `
      select s.key, s.count from jsonb_to_recordset(${spent}::jsonb) as s (place int, key text, count float8)
      join ${buckets} b on b.key = s.key and ${before} order by s.place for update of b`
  return `
    with held_budgets as (${held($.budgets, 'true')}
    ), budgets as (
      update ${buckets} b set tokens = least(h.count, b.tokens + 1) from held_budgets h
      where b.key = h.key returning 1
    ), begun as (
      delete from ${buckets}
      where key = ${$.intervalKey}::text and (select count(*) from budgets) >= 0 returning 1
    ), held_shared as (${held($.shared, '(select count(*) from begun) >= 0')}
    )
    update ${buckets} b set tokens = least(h.count, b.tokens + 1) from held_shared h where b.key = h.key`
})

/**
 * Returns the tokens that were taken for a message that is not created after all. Rows are locked
 * in the order in which they were spent, since another order could cause a deadlock.
 */
export async function returnLimits(
  sql: Queryable,
  { interval, requests, budget }: SendLimits,
): Promise<void> {
  const shared = interval?.shared
  const budgets = [requests, budget, ...(budget?.shares ?? [])]
  await sql.query(returnSpent, {
    budgets: spentRows(
      budgets.flatMap((one) => (one ? [{ key: one.key, count: one.rate.count }] : [])),
    ),
    intervalKey: interval?.key ?? null,
    shared: spentRows(
      [shared, shared?.network].flatMap((one) => (one ? [{ key: one.key, count: one.count }] : [])),
    ),
  })
}

const spentRows = (spent: readonly { key: string; count: number }[]): string =>
  JSON.stringify(spent.map((one, place) => ({ place, ...one })))

/** The budget of messages that a request has spent, as the values of {@link returnedBudget}. */
type ReturnedBudget = { returnedKey: string | null; returnedCount: number }

export const returnable = ({ budget }: SendLimits): ReturnedBudget => ({
  returnedKey: budget?.key ?? null,
  returnedCount: budget?.rate.count ?? 0,
})

/**
 * An update that returns the budget of a message that is not sent, in the statement that stores the
 * result of its request. The request itself stays counted, and so do the shares of the client's
 * networks: they must not reveal whether a message was sent.
 */
export const returnedBudget = (
  sql: TableFragments,
  key: string,
  count: string,
  condition: string,
): string => `
  update ${sql.table('rate_limit_buckets')} b set tokens = least(${count}::float8, b.tokens + 1)
  where b.key = ${key}::text and ${condition} returning 1`
