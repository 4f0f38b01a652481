import { firstUuidAt } from '../../platform/kit/uuid.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'

const deleteSettled = statement<{ settledBefore: string; firstId: string; limit: number }>(
  'sweep_outbox',
  (sql, $) => `delete from ${sql.table('outbox_messages')} where id = any(array(
    select id from ${sql.table('outbox_messages')}
    where id < ${$.firstId} and settled_at < ${$.settledBefore} order by id
    limit ${$.limit} for update skip locked)) returning id`,
)

/**
 * Deletes messages that were sent or failed before this time, a few at a time. They were stored
 * before it, too, so their ids, which sort by time, delimit the search.
 *
 * @returns their number.
 */
export async function sweepOutbox(
  sql: Queryable,
  { settledBefore, limit }: { settledBefore: Date; limit: number },
): Promise<number> {
  const deleted = await sql.query(deleteSettled, {
    settledBefore: settledBefore.toISOString(),
    firstId: firstUuidAt(settledBefore),
    limit,
  })
  return deleted.length
}

const giveUpWaiting = statement<{ before: string; now: string; limit: number }>(
  'give_up_waiting_messages',
  (sql, $) => `update ${sql.table('outbox_messages')}
    set status = 'failed', next_attempt_at = null, settled_at = ${$.now},
      last_error = coalesce(last_error, 'no carrier accepted it in time')
    where id = any(array(
      select id from ${sql.table('outbox_messages')}
      where id < ${$.before} and next_attempt_at is not null
        and (status = 'waiting' or next_attempt_at < ${$.now})
      order by id limit ${$.limit} for update skip locked)) returning id`,
)

/**
 * Ends messages that were stored before this time and still wait, the oldest first and a few at a
 * time: those without a carrier, and events after others whose hook fails.
 *
 * @returns their number.
 */
export async function giveUpWaitingMessages(
  sql: Queryable,
  { before, now, limit }: { before: Date; now: Date; limit: number },
): Promise<number> {
  const values = { before: firstUuidAt(before), now: now.toISOString(), limit }
  const givenUp = await sql.query(giveUpWaiting, values)
  return givenUp.length
}
