import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { recordingCarrier, startTestOutbox, type TestOutbox } from '../../../test/support/outbox.ts'
import { finalRejection } from '../carriers/carrier.ts'
import type { Mail } from '../mail/mail.ts'
import { findMessages, giveUpWaitingMessages, sweepOutbox } from './outbox-messages.sql.ts'

const week = 7 * 24 * 60 * 60 * 1000

let table: TestOutbox

beforeAll(async () => {
  table = await startTestOutbox()
})
afterEach(() => table.reset())
afterAll(() => table.close())

const sweep = (limit = 500) =>
  sweepOutbox(table.database.sql, {
    settledBefore: new Date(table.clock.now().getTime() - week),
    limit,
  })
const statuses = async () => {
  const rows = await findMessages(table.database.sql, { status: null, before: null, limit: 100 })
  return rows.map(({ status }) => status).toSorted()
}
/** Stores messages that were sent, failed and not sent at this time. */
const storeOfEachKind = async () => {
  await table.store({}, {}, {})
  const answers = [undefined, finalRejection('no'), new Error('down')]
  const email = recordingCarrier<Mail>((attempt) => {
    const answer = answers[attempt - 1]
    if (answer) throw answer
  })
  await table.open({ carriers: { email } }).settled()
}

it('keeps sent and failed messages for a week, and waiting ones as long as they wait', async () => {
  await storeOfEachKind()

  table.clock.advance(week / 1000)
  await sweep()
  const atOneWeek = await statuses()
  table.clock.advance(1)
  await sweep()

  expect(atOneWeek).toEqual(['failed', 'sent', 'waiting'])
  expect(await statuses()).toEqual(['waiting'])
})

const giveUp = (limit = 500) => {
  const now = table.clock.now()
  const before = new Date(now.getTime() - 2 * week)
  return giveUpWaitingMessages(table.database.sql, { before, now, limit })
}

it('S18: ends a message that waits for two weeks, and deletes it a week later', async () => {
  const [first] = await table.store({}, { message: { channel: 'events', content: {} as never } })
  table.clock.advance((2 * week) / 1000)
  expect(await giveUp()).toBe(0)
  table.clock.advance(1)
  await table.storeOne()

  expect([await giveUp(1), await giveUp(), await giveUp()]).toEqual([1, 1, 0])

  expect(await statuses()).toEqual(['failed', 'failed', 'waiting'])
  expect(await table.row(first ?? '')).toMatchObject({
    last_error: 'no carrier accepted it in time',
    next_attempt_at: null,
  })
  table.clock.advance(week / 1000 + 1)
  expect(await sweep()).toBe(2)
})

it('S18: skips a message that is being sent', async () => {
  await table.storeOne()
  table.clock.advance((2 * week) / 1000 + 1)
  const leaseUntil = new Date(table.clock.now().getTime() + 60_000)
  await table.change(`status = 'sending', next_attempt_at = '${leaseUntil.toISOString()}'`)
  expect(await giveUp()).toBe(0)
  table.clock.advance(61)

  expect(await giveUp()).toBe(1)
})

it('deletes a few at a time, the oldest first, and returns their number', async () => {
  const [oldest] = await table.store({})
  await table.open({ carriers: { email: recordingCarrier<Mail>() } }).settled()
  table.clock.advance(10)
  await table.store({}, {})
  await table.open({ carriers: { email: recordingCarrier<Mail>() } }).settled()
  table.clock.advance(week / 1000 + 1)

  const first = await sweep(1)
  const left = await findMessages(table.database.sql, { status: null, before: null, limit: 9 })
  const second = await sweep(9)

  expect([first, second, await sweep(9)]).toEqual([1, 2, 0])
  expect(left.map(({ id }) => id)).not.toContain(oldest)
})
