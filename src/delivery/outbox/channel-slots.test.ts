import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  recordingCarrier,
  someText,
  startTestOutbox,
  type TestOutbox,
} from '../../../test/support/outbox.ts'
import { waitFor } from '../../../test/support/wait-for.ts'
import type { Mail } from '../mail/mail.ts'
import type { Sms } from '../sms/sms.ts'

let table: TestOutbox

beforeAll(async () => {
  table = await startTestOutbox()
})
afterEach(async () => {
  release()
  await table.reset()
})
afterAll(() => table.close())

let release = () => {}
/** Resolves when the test ends; a carrier hangs meanwhile. */
const untilReleased = () =>
  new Promise<void>((resolve) => {
    release = resolve
  })

describe('a carrier that hangs', () => {
  /** Longer than a test, so that no attempt reaches its time limit. */
  const pace = { attemptMs: 60_000 }

  it('delays no other channel', async () => {
    const hung = untilReleased()
    const email = recordingCarrier<Mail>(() => hung)
    const sms = recordingCarrier<Sms>()
    await table.store(...Array.from({ length: 30 }, () => ({})))
    const outbox = table.open({ carriers: { email, sms }, pace })
    await waitFor(() => expect(email.attempts).toHaveLength(10))

    await table.storeOne(someText)
    outbox.wake()

    await waitFor(() => expect(sms.attempts).toHaveLength(1))
    expect(email.attempts).toHaveLength(10)
  })

  it('with one message delays no other of its channel', async () => {
    const hung = untilReleased()
    const email = recordingCarrier<Mail>((attempt) => (attempt === 1 ? hung : undefined))
    await table.store(...Array.from({ length: 40 }, () => ({})))

    table.open({ carriers: { email }, pace })

    await waitFor(() => expect(email.attempts).toHaveLength(40))
  })

  it('reaches its time limit, and the message is retried', async () => {
    const email = recordingCarrier<Mail>(() => new Promise(() => {}))
    const id = await table.storeOne()

    await table.open({ carriers: { email }, pace: { attemptMs: 50 } }).settled()

    expect(await table.row(id)).toMatchObject({
      status: 'waiting',
      last_error: 'the carrier exceeded its time limit',
    })
  })

  it('gets at most ten messages at a time, however many wait', async () => {
    let running = 0
    let most = 0
    const email = recordingCarrier<Mail>(async () => {
      most = Math.max(most, ++running)
      await sleep(2)
      running--
    })
    await table.store(...Array.from({ length: 45 }, () => ({})))

    await table.open({ carriers: { email } }).settled()

    expect(email.attempts).toHaveLength(45)
    expect(most).toBe(10)
  })
})
