import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  recordingCarrier,
  someLetter,
  startTestOutbox,
  type TestOutbox,
} from '../../../test/support/outbox.ts'
import { carrierDeferral, finalRejection, temporaryRejection } from '../carriers/carrier.ts'
import type { Mail } from '../mail/mail.ts'

let table: TestOutbox

beforeAll(async () => {
  table = await startTestOutbox()
})
afterEach(() => table.reset())
afterAll(() => table.close())

const later = (milliseconds: number) => new Date(table.clock.now().getTime() + milliseconds)
const failing = (error: unknown = new Error('down')) =>
  recordingCarrier<Mail>(() => Promise.reject(error))

describe('a failure', () => {
  it('is retried after two seconds, four, eight, … and at most ten minutes', async () => {
    const email = failing()
    const id = await table.storeOne()
    const outbox = table.open({ carriers: { email } })

    const pauses: number[] = []
    for (let attempt = 1; attempt <= 12; attempt++) {
      await outbox.settled()
      const { next_attempt_at: next, attempts, status } = await table.row(id)
      expect({ attempts, status }).toEqual({ attempts: attempt, status: 'waiting' })
      pauses.push(new Date(next ?? '').getTime() - table.clock.now().getTime())
      table.clock.advance((pauses.at(-1) ?? 0) / 1000)
    }

    const least = [2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600, 600].map((s) => s * 1000)
    for (const [index, pause] of pauses.entries()) {
      expect(pause).toBeGreaterThanOrEqual(least[index] ?? 0)
      expect(pause).toBeLessThanOrEqual((least[index] ?? 0) * 1.25)
    }
  })

  it('of a busy carrier is retried after its pause, and does not count', async () => {
    const email = failing(carrierDeferral('busy', 7_000))
    const id = await table.storeOne()
    const outbox = table.open({ carriers: { email } })
    await outbox.settled()
    const { next_attempt_at: next, ...row } = await table.row(id)

    expect(row).toMatchObject({ attempts: 0, status: 'waiting', last_error: 'busy' })
    expect(new Date(next ?? '')).toEqual(later(7_000))
  })

  it('of a carrier that is busy for half a day counts', async () => {
    const email = failing(carrierDeferral('busy', 7_000))
    const id = await table.storeOne()
    table.clock.advance(12 * 60 * 60)
    await table.open({ carriers: { email } }).settled()

    expect(await table.row(id)).toMatchObject({ attempts: 1, status: 'waiting' })
  })

  it('is not retried before its time', async () => {
    const email = failing()
    await table.storeOne()
    const outbox = table.open({ carriers: { email } })
    await outbox.settled()

    table.clock.advance(1)
    await outbox.settled()
    const early = email.attempts.length
    table.clock.advance(2)
    await outbox.settled()

    expect([early, email.attempts.length]).toEqual([1, 2])
  })

  it('has the same id at each attempt', async () => {
    const email = recordingCarrier<Mail>((attempt) =>
      attempt === 1 ? Promise.reject(new Error('down')) : undefined,
    )
    const id = await table.storeOne()
    const outbox = table.open({ carriers: { email } })
    await outbox.settled()
    table.clock.advance(3)
    await outbox.settled()

    const delivery = { id, createdAt: later(-3_000) }
    expect(email.attempts).toEqual([delivery, delivery])
    expect(await table.row(id)).toMatchObject({ status: 'sent', attempts: 2, last_error: null })
  })

  it('whose error has no message is recorded like any other', async () => {
    const email = failing(Object.assign(new Error(''), { message: ['email must be an email'] }))
    const id = await table.storeOne()

    await table.open({ carriers: { email } }).settled()

    expect(await table.row(id)).toMatchObject({ status: 'waiting', last_error: 'Error' })
  })

  it('that ends its process each time fails finally like others, and delays no other message', async () => {
    const email = recordingCarrier<Mail>()
    const id = await table.storeOne()
    await table.change(`attempts = 100, status = 'sending'`)

    await table.open({ carriers: { email } }).settled()

    expect(email.attempts).toEqual([])
    expect(await table.row(id)).toMatchObject({ status: 'failed', attempts: 101 })
  })

  it('that the carrier declares final is not retried', async () => {
    const email = failing(finalRejection('the mail server returned 550 to RCPT TO'))
    const id = await table.storeOne()
    const outbox = table.open({ carriers: { email } })

    await outbox.settled()
    table.clock.advance(3600)
    await outbox.settled()

    expect(email.attempts).toHaveLength(1)
    expect(await table.row(id)).toMatchObject({
      status: 'failed',
      attempts: 1,
      next_attempt_at: null,
      last_error: 'the mail server returned 550 to RCPT TO',
      settled_at: expect.any(String),
    })
  })

  it('is final after a hundred attempts', async () => {
    const email = failing(temporaryRejection('451 later'))
    const id = await table.storeOne()
    await table.change('attempts = 98')
    const outbox = table.open({ carriers: { email } })

    await outbox.settled()
    const before = await table.row(id)
    table.clock.advance(800)
    await outbox.settled()

    expect([before.attempts, before.status]).toEqual([99, 'waiting'])
    expect(await table.row(id)).toMatchObject({ attempts: 100, status: 'failed' })
  })

  it('leaves no address, code or link in the log and in the table', async () => {
    const words = `no +49 1555 0100 or Ada <ada@example.test>, ${someLetter.variables.ConfirmationURL} 483920`
    const id = await table.storeOne()

    await table.open({ carriers: { email: failing(new Error(`POST failed: ${words}`)) } }).settled()

    const { last_error: lastError } = await table.row(id)
    expect(lastError).toContain('POST failed')
    for (const secret of ['ada@', '483920', '5ec7e7', '1555']) {
      expect(lastError).not.toContain(secret)
      expect(JSON.stringify(table.log)).not.toContain(secret)
    }
    expect(table.log).toMatchObject([
      { level: 'warn', message: 'message not sent', fields: { message: { id, attempts: 1 } } },
    ])
  })

  it('without a carrier is retried: another instance may have one', async () => {
    const id = await table.storeOne()

    await table.open({ carriers: {} }).settled()

    expect(await table.row(id)).toMatchObject({
      status: 'waiting',
      last_error: 'no carrier is configured',
    })
  })

  it('of a hook that was removed names the hook', async () => {
    const message = { channel: 'events', content: {} as never } as const
    const id = await table.storeOne({ message })

    await table.open({ carriers: {} }).settled()

    expect(await table.row(id)).toMatchObject({
      last_error: 'no carrier is configured: the hook events is not configured',
    })
  })
})
