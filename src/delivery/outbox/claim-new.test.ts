import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  openTestDatabase,
  recordingCarrier,
  someText,
  startTestOutbox,
  type TestOutbox,
} from '../../../test/support/outbox.ts'
import { runText } from '../../../test/support/statements.ts'
import { waitFor } from '../../../test/support/wait-for.ts'
import { startWireProxy, type WireProxy } from '../../../test/support/wire-proxy.ts'
import type { Mail } from '../mail/mail.ts'
import type { Sms } from '../sms/sms.ts'
import type { NewMessages, Outbox } from './outbox.ts'

let table: TestOutbox

beforeAll(async () => {
  table = await startTestOutbox()
})
afterEach(() => table.reset())
afterAll(() => table.close())

function claim(outbox: Outbox, count = 1): NewMessages {
  const claimed = outbox.claimNew(Array.from({ length: count }, () => table.newRow()))
  if (!claimed) throw new Error('the process has no background work')
  return claimed
}

/** Returns the names of the statements. Those that open a connection have none. */
const namesIn = (proxy: WireProxy): string[] => proxy.statements().flatMap(({ name }) => name ?? [])

const statusesOf = (messages: NewMessages) =>
  Promise.all(messages.rows.map(async ({ id }) => (await table.row(id)).status))

describe('a new message', () => {
  it('is stored as claimed and delivered by one statement, that of its result', async () => {
    const proxy = await startWireProxy(table.databaseUrl)
    const database = await openTestDatabase(proxy.url)
    const email = recordingCarrier<Mail>()
    const outbox = table.open({ carriers: { email }, database })
    await outbox.settled()
    proxy.reset()

    const message = claim(outbox)
    await table.insert(...message.rows)
    const stored = await table.row(message.rows[0]?.id ?? '')
    message.deliver()
    await outbox.underWay()

    expect(namesIn(proxy)).toEqual(['settle_messages'])
    expect(stored).toMatchObject({ status: 'sending', attempts: 1, next_attempt_at: null })
    expect(await table.row(stored.id)).toMatchObject({ status: 'sent', attempts: 1, body: null })
    expect(email.attempts).toEqual([{ id: stored.id, createdAt: table.clock.now() }])
    await outbox.close()
    await database.close()
    await proxy.close()
  })

  it('is delivered after a pause where responses must not disclose it (S75)', async () => {
    const email = recordingCarrier<Mail>()
    let pauses = 0
    const concealingPauseMs = () => {
      pauses += 1
      return 60
    }
    const outbox = table.open({ carriers: { email }, concealingPauseMs })
    const deliver = async (isConcealed: boolean): Promise<number> => {
      const message = outbox.claimNew([table.newRow()], { isConcealed })
      await table.insert(...(message?.rows ?? []))
      const before = performance.now()
      message?.deliver()
      const sent = email.attempts.length + 1
      await waitFor(() => expect(email.attempts).toHaveLength(sent))
      return performance.now() - before
    }

    expect(await deliver(true)).toBeGreaterThan(55)
    expect(pauses).toBe(1)
    await deliver(false)
    expect(pauses).toBe(1)
    await outbox.close()
  })

  it('is found by no other process before its lease ends, and then sent by it', async () => {
    const [mine, other] = [recordingCarrier<Mail>(), recordingCarrier<Mail>()]
    const dying = table.open({ carriers: { email: mine } })
    const living = table.open({ carriers: { email: other } })
    // The process ends before the delivery.
    const message = claim(dying)
    await table.insert(...message.rows)

    await living.settled()
    const early = other.attempts.length
    table.clock.advance(61)
    await living.settled()

    expect([early, mine.attempts.length, other.attempts.length]).toEqual([0, 0, 1])
    expect(await statusesOf(message)).toEqual(['sent'])
  })

  it('of an SMS is sent by another process while its code is still valid', async () => {
    const sms = recordingCarrier<Sms>()
    const order = { ...someText, expiresAt: new Date(table.clock.now().getTime() + 60_000) }
    const message = table.open({ carriers: {} }).claimNew([table.newRow(order)])
    const mail = claim(table.open({ carriers: {} }))
    await table.insert(...(message?.rows ?? []), ...mail.rows)
    const email = recordingCarrier<Mail>()
    const living = table.open({ carriers: { sms, email }, pace: { attemptMs: 45_000 } })

    const sent: number[][] = []
    for (const seconds of [34, 6, 21]) {
      table.clock.advance(seconds)
      await living.settled()
      sent.push([sms.attempts.length, email.attempts.length])
    }

    expect(sent).toEqual([
      [0, 0],
      [1, 0],
      [1, 1],
    ])
  })

  it('gets its result without a change of an indexed column, and so of any index', async () => {
    const outbox = table.open({ carriers: { email: recordingCarrier<Mail>() } })
    await outbox.settled()
    const { sql } = table.database
    const columns = await runText<{ name: string }>(
      sql,
      `select distinct a.attname as name from pg_index i
       join pg_depend d on d.objid = i.indexrelid and d.refobjid = i.indrelid and d.refobjsubid > 0
       join pg_attribute a on a.attrelid = i.indrelid and a.attnum = d.refobjsubid
       where i.indrelid = 'auth.outbox_messages'::regclass`,
    )
    const indexed = async (id: string) => {
      const row = { ...(await table.row(id)) } as Record<string, unknown>
      return columns.map(({ name }) => [name, row[name]])
    }

    const message = claim(outbox)
    const id = message.rows[0]?.id ?? ''
    await table.insert(...message.rows)
    const before = await indexed(id)
    message.deliver()
    await outbox.settled()

    expect(columns.length).toBeGreaterThan(2)
    expect(await table.row(id)).toMatchObject({ status: 'sent' })
    expect(await indexed(id)).toEqual(before)
  })

  it('of a process that ended is found without a pause, if more of them wait than there are slots', async () => {
    const dead = table.open({ carriers: {} })
    const messages = [claim(dead, 10), claim(dead, 10), claim(dead, 5)]
    for (const { rows } of messages) await table.insert(...rows)
    table.clock.advance(61)

    const email = recordingCarrier<Mail>()
    const living = table.open({ carriers: { email } })
    await living.settled()

    expect(email.attempts).toHaveLength(25)
  })

  it('of a process that ended is found after hours in which the database could not be reached', async () => {
    const email = recordingCarrier<Mail>()
    const living = table.open({ carriers: { email } })
    await living.settled()
    const message = claim(table.open({ carriers: {} }))
    await table.insert(...message.rows)

    table.clock.advance(5 * 3_600)
    await living.settled()

    expect(email.attempts.map(({ id }) => id)).toEqual(message.rows.map(({ id }) => id))
  })

  it('of processes that ended long ago is found by the next one, if more of them wait than it has slots', async () => {
    const dead = table.open({ carriers: {} })
    const messages = [claim(dead, 5), claim(dead, 4)]
    for (const { rows } of messages) await table.insert(...rows)
    table.clock.advance(2 * 86_400)

    const email = recordingCarrier<Mail>()
    const living = table.open({ carriers: { email }, pace: { atOnce: 4 } })
    for (let searches = 0; searches < 4; searches += 1) {
      await living.settled()
      table.clock.advance(31)
    }

    expect(new Set(email.attempts.map(({ id }) => id)).size).toBe(9)
    expect(email.attempts).toHaveLength(9)
  })

  it('that was not stored is not sent, and releases its slot', async () => {
    const email = recordingCarrier<Mail>()
    const outbox = table.open({ carriers: { email }, pace: { atOnce: 1 } })
    await outbox.settled()

    claim(outbox).release()
    const next = claim(outbox)
    await table.insert(...next.rows)
    next.deliver()
    next.release()
    await outbox.settled()

    expect(await statusesOf(next)).toEqual(['sent'])
    expect(email.attempts).toHaveLength(1)
  })

  it('whose statement took most of the lease is handed back, and found by a query', async () => {
    const proxy = await startWireProxy(table.databaseUrl)
    const database = await openTestDatabase(proxy.url)
    const email = recordingCarrier<Mail>()
    const outbox = table.open({ carriers: { email }, database, pace: { attemptMs: 45_000 } })
    await outbox.settled()
    const message = claim(outbox)
    await table.insert(...message.rows)
    proxy.reset()

    table.clock.advance(16)
    message.deliver()
    await outbox.settled()

    const names = namesIn(proxy)
    expect(names.slice(0, 3)).toEqual(['claim_messages', 'settle_messages', 'claim_messages'])
    expect(email.attempts).toHaveLength(1)
    expect(await statusesOf(message)).toEqual(['sent'])
    await outbox.close()
    await database.close()
    await proxy.close()
  })

  /** Stores a message in each slot of a carrier that hangs until `resolve`, and one more. */
  async function fillSlots(pace: { claimedBeyond: number; attemptMs?: number }) {
    const { promise, resolve } = Promise.withResolvers<void>()
    const proxy = await startWireProxy(table.databaseUrl)
    const database = await openTestDatabase(proxy.url)
    const email = recordingCarrier<Mail>((attempt) => (attempt <= 2 ? promise : undefined))
    const outbox = table.open({
      carriers: { email },
      database,
      pace: { atOnce: 2, attemptMs: 30_000, ...pace },
    })
    await outbox.settled()
    const first = claim(outbox, 2)
    const second = claim(outbox)
    await table.insert(...first.rows, ...second.rows)
    proxy.reset()
    first.deliver()
    second.deliver()
    await expect.poll(() => email.attempts.length).toBe(2)
    return {
      outbox,
      email,
      second,
      resolve,
      names: () => namesIn(proxy),
      close: async () => {
        await outbox.close()
        await database.close()
        await proxy.close()
      },
    }
  }

  it('of a burst waits in memory for a slot of its channel, without a query', async () => {
    const { outbox, email, second, resolve, names, close } = await fillSlots({ claimedBeyond: 1 })

    expect(second.rows.map(({ status }) => status)).toEqual(['sending'])
    resolve()
    await outbox.underWay()

    expect(await statusesOf(second)).toEqual(['sent'])
    expect(email.attempts).toHaveLength(3)
    expect(names().filter((name) => name !== 'settle_messages')).toEqual([])
    await close()
  })

  it('of a burst is handed back where no slot is free in time', async () => {
    const filled = await fillSlots({ claimedBeyond: 1, attemptMs: 59_900 })
    const { outbox, second, resolve, names, close } = filled

    await expect.poll(() => statusesOf(second)).toEqual(['waiting'])
    const before = names()
    resolve()
    await outbox.settled()

    expect(before).toContain('settle_messages')
    expect(await statusesOf(second)).toEqual(['sent'])
    await close()
  })

  it('of a burst is handed back by a process that closes, and found by another one', async () => {
    const { outbox, second, resolve, close } = await fillSlots({ claimedBeyond: 1 })

    const closed = outbox.close()
    await expect.poll(() => statusesOf(second)).toEqual(['waiting'])
    const email = recordingCarrier<Mail>()
    await table.open({ carriers: { email } }).settled()
    expect(email.attempts.map(({ id }) => id)).toEqual(second.rows.map(({ id }) => id))
    resolve()
    await closed
    await close()
  })

  it('waits behind others in the table where a process has claimed as many as it may', async () => {
    const { outbox, second, resolve, close } = await fillSlots({ claimedBeyond: 0 })

    const waiting = second.rows.map(({ status }) => status)
    resolve()
    await outbox.settled()

    expect(waiting).toEqual(['waiting'])
    expect(await statusesOf(second)).toEqual(['sent'])
    await close()
  })

  it('never delays those that wait in the table, however many are claimed', async () => {
    const { outbox, email, second, resolve, close } = await fillSlots({ claimedBeyond: 3 })
    const older = await table.storeOne()

    outbox.wake()
    const next = claim(outbox)
    await table.insert(...next.rows)
    next.deliver()
    resolve()
    await outbox.settled()

    expect(next.rows.map(({ status }) => status)).toEqual(['waiting'])
    const ids = email.attempts.map(({ id }) => id)
    expect(ids.slice(2)).toEqual([second.rows[0]?.id, older, next.rows[0]?.id])
    await close()
  })

  it('is not claimed by a process that closes', async () => {
    const outbox = table.open({ carriers: { email: recordingCarrier<Mail>() } })
    await outbox.close()

    expect(claim(outbox).rows[0]?.status).toBe('waiting')
  })
})

describe('results', () => {
  it('of attempts that end together are recorded by one statement', async () => {
    const proxy = await startWireProxy(table.databaseUrl)
    const database = await openTestDatabase(proxy.url)
    const { promise, resolve } = Promise.withResolvers<void>()
    const email = recordingCarrier<Mail>(async (attempt) => {
      await promise
      if (attempt === 2) throw new Error('busy')
    })
    const outbox = table.open({ carriers: { email }, database })
    await outbox.settled()
    const messages = claim(outbox, 5)
    await table.insert(...messages.rows)
    proxy.reset()
    messages.deliver()

    await expect.poll(() => email.attempts.length).toBe(5)
    resolve()
    await outbox.underWay()

    const names = proxy.statements().map(({ name }) => name)
    expect(names.every((name) => name === 'settle_messages')).toBe(true)
    expect(names.length).toBeLessThanOrEqual(2)
    expect((await statusesOf(messages)).toSorted()).toEqual([
      'sent',
      'sent',
      'sent',
      'sent',
      'waiting',
    ])
    await outbox.close()
    await database.close()
    await proxy.close()
  })
})
