import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { recordingCarrier, startTestOutbox, type TestOutbox } from '../../../test/support/outbox.ts'
import { carrierRefusal } from '../carrier.ts'
import type { Mail } from '../email/mail.ts'
import { findMessages } from './find-messages.sql.ts'
import { sweepOutbox } from './sweep-outbox.sql.ts'

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
/** Messages that were sent, given up and not sent at this moment. */
const storeOfEachKind = async () => {
  await table.store({}, {}, {})
  const answers = [undefined, carrierRefusal('no', true), new Error('down')]
  const email = recordingCarrier<Mail>((attempt) => {
    const answer = answers[attempt - 1]
    if (answer) throw answer
  })
  await table.open({ carriers: { email } }).settled()
}

it('keeps what was sent or given up for a week, and what waits for as long as it does', async () => {
  await storeOfEachKind()

  table.clock.advance(week / 1000)
  await sweep()
  const atOneWeek = await statuses()
  table.clock.advance(1)
  await sweep()

  expect(atOneWeek).toEqual(['failed', 'sent', 'waiting'])
  expect(await statuses()).toEqual(['waiting'])
})

it('deletes a few at a time, the oldest first, and says how many', async () => {
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
