import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  openTestDatabase,
  recordingCarrier,
  someLetter,
  startTestOutbox,
  type TestOutbox,
  testRoots,
} from '../../../test/support/outbox.ts'
import { waitFor } from '../../../test/support/wait-for.ts'
import { startWireProxy } from '../../../test/support/wire-proxy.ts'
import { extractRoots } from '../../platform/kit/derived-keys.ts'
import type { Mail } from '../mail/mail.ts'

let table: TestOutbox

beforeAll(async () => {
  table = await startTestOutbox()
})
afterEach(() => table.reset())
afterAll(() => table.close())

const later = (milliseconds: number) => new Date(table.clock.now().getTime() + milliseconds)

describe('a message', () => {
  it('is passed to its carrier as it was stored, with its id', async () => {
    const email = recordingCarrier<Mail>()
    const id = await table.storeOne()

    await table.open({ carriers: { email } }).settled()

    expect(email.contents).toEqual([someLetter])
    expect(email.attempts).toEqual([{ id, createdAt: table.clock.now() }])
  })

  it('is sealed until it is accepted, then its body is deleted, with its result', async () => {
    const id = await table.storeOne()
    const before = await table.row(id)

    await table.open({ carriers: { email: recordingCarrier<Mail>() } }).settled()

    expect(before.body).toMatch(/^v2\./)
    expect(before.body).not.toContain('483920')
    const { settled_at: settledAt, ...after } = await table.row(id)
    expect(after).toMatchObject({
      status: 'sent',
      body: null,
      attempts: 1,
      carrier_message_id: 'c1',
      last_error: null,
      next_attempt_at: null,
    })
    expect(new Date(settledAt ?? '')).toEqual(table.clock.now())
  })

  it('has the status of sending meanwhile', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const id = await table.storeOne()

    const outbox = table.open({ carriers: { email: recordingCarrier<Mail>(() => promise) } })
    await waitFor(async () => expect((await table.row(id)).status).toBe('sending'))
    resolve()
    await outbox.settled()

    expect((await table.row(id)).status).toBe('sent')
  })

  it('that was stored under a root before the present one is read', async () => {
    const email = recordingCarrier<Mail>()
    const roots = extractRoots('a new root of keys, of more than 32 bytes')
    await table.storeOne()

    const rotated = { current: roots.current, all: [...roots.all, ...testRoots.all] }
    await table.open({ carriers: { email }, roots: rotated }).settled()

    expect(email.contents).toEqual([someLetter])
  })

  it('that cannot be opened waits for the key, and delays no other', async () => {
    const email = recordingCarrier<Mail>()
    const [first = ''] = await table.store({})
    await table.change(`body = 'v1.AAAA'`)
    const [second = ''] = await table.store({})

    await table.open({ carriers: { email } }).settled()
    const unreadable = await table.row(first)

    expect(email.attempts.map(({ id }) => id)).toEqual([second])
    expect(unreadable).toMatchObject({ status: 'waiting', attempts: 1 })
    expect(unreadable.last_error).toMatch(/no configured root key opens/)
  })
})

describe('a message that expires', () => {
  it('is not sent after that time', async () => {
    const email = recordingCarrier<Mail>()
    const [inTime = '', tooLate = ''] = await table.store(
      { expiresAt: later(61_000) },
      { expiresAt: later(60_000) },
    )
    table.clock.advance(60)

    await table.open({ carriers: { email } }).settled()

    expect(email.attempts.map(({ id }) => id)).toEqual([inTime])
    expect(await table.row(tooLate)).toMatchObject({
      status: 'failed',
      last_error: 'it expired before a carrier confirmed it',
    })
    expect(table.log).toMatchObject([{ message: 'message given up' }])
  })
})

describe('the outbox', () => {
  it('sends the oldest first', async () => {
    const email = recordingCarrier<Mail>()
    const stored: string[] = []
    for (let count = 0; count < 4; count++) {
      stored.push(await table.storeOne())
      table.clock.advance(1)
    }

    await table.open({ carriers: { email }, pace: { atOnce: 1 } }).settled()

    expect(email.attempts.map(({ id }) => id)).toEqual(stored)
  })

  it('skips messages that only a newer version can send', async () => {
    const id = await table.storeOne()
    await table.change(`channel = 'pigeon'`)

    await table.open({ carriers: {} }).settled()

    expect(await table.row(id)).toMatchObject({ status: 'waiting', attempts: 0 })
  })

  it('that is woken during a query queries again', async () => {
    const email = recordingCarrier<Mail>()
    const outbox = table.open({ carriers: { email } })
    await outbox.settled()

    for (let count = 0; count < 20; count++) {
      outbox.wake()
      await table.storeOne()
      outbox.wake()
      await outbox.settled()
      expect(email.attempts).toHaveLength(count + 1)
    }
  })

  it('queries periodically', async () => {
    const email = recordingCarrier<Mail>()
    table.open({ carriers: { email }, pace: { pollMs: 20 } })

    await table.storeOne()

    await waitFor(() => expect(email.attempts).toHaveLength(1))
  })

  it('queries once for a single message, and not again until it is woken', async () => {
    const proxy = await startWireProxy(table.databaseUrl)
    const database = await openTestDatabase(proxy.url)
    const outbox = table.open({ carriers: { email: recordingCarrier<Mail>() }, database })
    await outbox.settled()
    await table.storeOne()
    proxy.reset()

    await outbox.settled()

    expect(proxy.statements().map(({ name }) => name)).toEqual([
      'claim_messages',
      'settle_messages',
    ])
    await outbox.close()
    await database.close()
    await proxy.close()
  })

  it('that closes waits for messages in delivery, and claims no more', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const email = recordingCarrier<Mail>(() => promise)
    const [first = '', second = ''] = await table.store({}, {})
    const outbox = table.open({ carriers: { email }, pace: { atOnce: 1 } })
    await waitFor(() => expect(email.attempts).toHaveLength(1))

    let isClosed = false
    const closing = outbox.close().then(() => {
      isClosed = true
    })
    await sleep(20)
    expect(isClosed).toBe(false)
    resolve()
    await closing
    outbox.wake()
    await sleep(20)

    const statuses = [(await table.row(first)).status, (await table.row(second)).status]
    expect(statuses.toSorted()).toEqual(['sent', 'waiting'])
    expect(email.attempts).toHaveLength(1)
  })
})
