import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { recordingCarrier, startTestOutbox, type TestOutbox } from '../../../test/support/outbox.ts'
import { recordingSql, runText } from '../../../test/support/statements.ts'
import { waitFor } from '../../../test/support/wait-for.ts'
import type { Mail } from '../mail/mail.ts'
import { claimMessages } from './claim-messages.sql.ts'
import { channels } from './message.ts'

let table: TestOutbox

beforeAll(async () => {
  table = await startTestOutbox()
})
afterEach(() => table.reset())
afterAll(() => table.close())

const failing = (error: unknown = new Error('down')) =>
  recordingCarrier<Mail>(() => Promise.reject(error))

describe('several instances', () => {
  it('send each message once', async () => {
    const email = recordingCarrier<Mail>(() => sleep(1))
    const ids = await table.store(...Array.from({ length: 60 }, () => ({})))

    const instances = [1, 2, 3].map(() => table.open({ carriers: { email } }))
    await Promise.all(instances.map((outbox) => outbox.settled()))

    expect(email.attempts.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
  })

  it('skip messages that another one has locked, without waiting', async () => {
    const email = recordingCarrier<Mail>()
    const [locked = '', free = ''] = await table.store({}, {})
    await table.database.transaction(async ({ sql }) => {
      await runText(sql, 'select from auth.outbox_messages where id = $1 for update', [locked])
      await table.open({ carriers: { email } }).settled()
    })

    expect(email.attempts.map(({ id }) => id)).toEqual([free])
  })

  it('retry a message after its sender died and its lease ended, and not before', async () => {
    const dying = recordingCarrier<Mail>(() => new Promise(() => {}))
    const email = recordingCarrier<Mail>()
    const id = await table.storeOne()
    table.open({ carriers: { email: dying }, pace: { attemptMs: 3_000 } })
    await waitFor(() => expect(dying.attempts).toHaveLength(1))
    const other = table.open({ carriers: { email } })

    table.clock.advance(59)
    await other.settled()
    const early = email.attempts.length
    table.clock.advance(2)
    await other.settled()

    expect(early).toBe(0)
    expect(email.attempts.map((delivery) => delivery.id)).toEqual([id])
    expect(await table.row(id)).toMatchObject({ status: 'sent', attempts: 2 })
  })

  it('accept a late result only if a carrier accepted the message', async () => {
    const late = Promise.withResolvers<void>()
    const slow = recordingCarrier<Mail>(() => late.promise)
    const email = failing()
    const id = await table.storeOne()
    const first = table.open({ carriers: { email: slow }, pace: { attemptMs: 30_000 } })
    await waitFor(() => expect(slow.attempts).toHaveLength(1))
    table.clock.advance(61)
    await table.open({ carriers: { email } }).settled()
    const between = await table.row(id)

    late.resolve()
    await first.settled()

    expect(between).toMatchObject({ status: 'waiting', attempts: 2 })
    expect(await table.row(id)).toMatchObject({ status: 'sent', next_attempt_at: null, body: null })
  })

  it('ignore a late failure', async () => {
    const late = Promise.withResolvers<void>()
    const slow = recordingCarrier<Mail>(() => late.promise)
    const email = recordingCarrier<Mail>()
    const id = await table.storeOne()
    const first = table.open({ carriers: { email: slow }, pace: { attemptMs: 30_000 } })
    await waitFor(() => expect(slow.attempts).toHaveLength(1))
    table.clock.advance(61)
    await table.open({ carriers: { email } }).settled()

    late.reject(new Error('too late'))
    await first.settled()

    expect(await table.row(id)).toMatchObject({ status: 'sent', last_error: null })
  })
})

it('have a plan that reads a few rows, however many wait: PostgreSQL compiles none of it', async () => {
  await table.storeOne()
  await runText(
    table.database.sql,
    `insert into auth.outbox_messages
     select (jsonb_populate_record(m, jsonb_build_object('id', gen_random_uuid(), 'channel', 'events', 'recipient', n))).*
     from auth.outbox_messages m, generate_series(1, 20000) n`,
  )
  await runText(table.database.sql, 'analyze auth.outbox_messages')
  const { requested, sql } = recordingSql()
  const vacancies = channels.map((channel) => ({ channel, count: 10 }))
  const now = table.clock.now()
  await claimMessages(sql, { now, vacancies, leaseMsOf: () => 0 })
  const [claim] = requested

  const [row] = await runText<{ 'QUERY PLAN': { Plan: { 'Total Cost': number } }[] }>(
    table.database.sql,
    `explain (format json) ${claim?.text}`,
    claim?.values,
  )

  // The default of `jit_above_cost`.
  expect(row?.['QUERY PLAN'][0]?.Plan['Total Cost']).toBeLessThan(100_000)
})

describe('S18: 5,000 waiting events of one user', () => {
  const [crowd, other] = [
    '10000000-0000-4000-8000-000000000000',
    'e0000000-0000-4000-8000-000000000000',
  ]
  const claim = async () => {
    const now = table.clock.now()
    const vacancies = [{ channel: 'events' as const, count: 10 }]
    const { rows } = await claimMessages(table.database.sql, {
      now,
      vacancies,
      leaseMsOf: () => 60_000,
    })
    return rows
  }
  const store = async () => {
    await table.storeOne()
    const copies = (recipient: string, count: number, later: string) =>
      runText(
        table.database.sql,
        `insert into auth.outbox_messages
         select (jsonb_populate_record(m, jsonb_build_object('id',
           (lpad(to_hex(n), 8, '0') || '-0000-7000-8000-' || right($1, 12))::uuid, 'channel', 'events',
           'recipient', $1, 'next_attempt_at', m.next_attempt_at + $2::interval))).*
         from auth.outbox_messages m, generate_series(1, $3::int) n where m.channel = 'email'`,
        [recipient, later, count],
      )
    await copies(crowd.replace(/0{12}$/, '00000000000a'), 5_000, '-1 hour')
    await copies(other.replace(/0{12}$/, '00000000000b'), 3, '-1 minute')
    await copies(other.replace(/^e/, '0').replace(/0{12}$/, '00000000000c'), 1, '-1 second')
    await runText(table.database.sql, 'analyze auth.outbox_messages')
  }

  it('do not delay events of other users', async () => {
    await store()

    const first = await claim()
    const second = await claim()

    const claimed = first.map(({ id, recipient }) => `${recipient.at(0)} ${id.slice(0, 8)}`)
    expect(claimed.toSorted()).toEqual(['0 00000001', '1 00000001', 'e 00000001'])
    expect(second).toEqual([])
  })

  it('are read in part only', async () => {
    await store()
    const { requested, sql } = recordingSql()
    const now = table.clock.now()
    const vacancies = [{ channel: 'events' as const, count: 10 }]
    await claimMessages(sql, { now, vacancies, leaseMsOf: () => 0 })
    const [one] = requested

    // PostgreSQL reads small tables as a whole. In a large one it searches the indexes.
    const [row] = await table.database.transaction(async (transaction) => {
      for (const method of ['seqscan', 'hashjoin', 'mergejoin'])
        await runText(transaction.sql, `set local enable_${method} = off`)
      return runText<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
        transaction.sql,
        `explain (analyze, format json) ${one?.text}`,
        one?.values,
      )
    })

    // 500 messages are selected, and each of them is looked for among the earlier ones.
    const count = scannedRows(row?.['QUERY PLAN'][0]?.Plan)
    expect(count).toBeGreaterThan(500)
    expect(count).toBeLessThan(2_000)
  })
})

interface PlanNode {
  'Relation Name'?: string
  'Actual Rows': number
  'Rows Removed by Filter'?: number
  'Actual Loops': number
  Plans?: PlanNode[]
}

/** Returns the number of rows that a plan read from tables. */
function scannedRows(node: PlanNode | undefined): number {
  if (!node) return 0
  const ofEach = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)
  const own = node['Relation Name'] ? ofEach * node['Actual Loops'] : 0
  return (node.Plans ?? []).reduce((sum, child) => sum + scannedRows(child), own)
}
