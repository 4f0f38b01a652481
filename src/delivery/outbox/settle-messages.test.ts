import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  openTestDatabase,
  recordingCarrier,
  startTestOutbox,
  type TestOutbox,
} from '../../../test/support/outbox.ts'
import { startWireProxy } from '../../../test/support/wire-proxy.ts'
import type { Mail } from '../mail/mail.ts'

let table: TestOutbox

beforeAll(async () => {
  table = await startTestOutbox()
})
afterEach(() => table.reset())
afterAll(() => table.close())

describe('without its database', () => {
  it('the outbox logs it, and sends once it is available again', async () => {
    const proxy = await startWireProxy(table.databaseUrl)
    const database = await openTestDatabase(proxy.url)
    const email = recordingCarrier<Mail>()
    const outbox = table.open({ carriers: { email }, database })
    await outbox.settled()
    await table.storeOne()

    proxy.refuse()
    proxy.cut()
    await outbox.settled()
    expect(table.log).toMatchObject([
      {
        level: 'warn',
        message: 'outbox was not read',
        fields: { fault: { name: 'AuthError', code: 'service_unavailable' } },
      },
    ])
    proxy.allow()
    await outbox.settled()

    expect(email.attempts).toHaveLength(1)
    await outbox.close()
    await database.close()
    await proxy.close()
  })

  it('the result of a message is recorded once it is available again', async () => {
    const proxy = await startWireProxy(table.databaseUrl)
    const database = await openTestDatabase(proxy.url)
    const email = recordingCarrier<Mail>(() => {
      proxy.refuse()
      proxy.cut()
      setTimeout(() => proxy.allow(), 60)
    })
    const id = await table.storeOne()

    const pace = { settlePausesMs: [20, 40, 80, 160] }
    const outbox = table.open({ carriers: { email }, database, pace })
    await outbox.settled()

    expect(await table.row(id)).toMatchObject({ status: 'sent', attempts: 1 })
    await outbox.close()
    await database.close()
    await proxy.close()
  })

  it('a message whose result was not recorded is sent once more, and delays no other', async () => {
    const proxy = await startWireProxy(table.databaseUrl)
    const database = await openTestDatabase(proxy.url)
    const email = recordingCarrier<Mail>((attempt) => {
      if (attempt > 1) return
      proxy.refuse()
      proxy.cut()
    })
    const id = await table.storeOne()
    const outbox = table.open({ carriers: { email }, database })
    await outbox.settled()
    const unrecorded = await table.row(id)

    proxy.allow()
    table.clock.advance(61)
    await outbox.settled()

    expect(unrecorded.status).toBe('sending')
    expect(table.log.map(({ message }) => message)).toContain('message result was not recorded')
    expect(email.attempts.map((delivery) => delivery.id)).toEqual([id, id])
    expect((await table.row(id)).status).toBe('sent')
    await outbox.close()
    await database.close()
    await proxy.close()
  })
})

describe('text of a carrier that cannot be stored', () => {
  it('is left out of the id of an accepted message', async () => {
    const email = recordingCarrier<Mail>()
    const send: typeof email.send = async (content, delivery) => {
      await email.send(content, delivery)
      return { carrierMessageId: 'c\0\ud8001' }
    }
    const id = await table.storeOne()

    const outbox = table.open({ carriers: { email: { ...email, send } } })
    await outbox.settled()

    expect(await table.row(id)).toMatchObject({ status: 'sent', carrier_message_id: 'c\ufffd1' })
    await outbox.close()
  })

  it.each([
    ['NUL', 'bad\0 news', 'bad news'],
    ['half a character at its end', `${'a'.repeat(299)}😀`, `${'a'.repeat(299)}\ufffd`],
  ])('is left out of an error with %s', async (_what, message, stored) => {
    const email = recordingCarrier<Mail>(() => {
      throw new Error(message)
    })
    const id = await table.storeOne()

    const outbox = table.open({ carriers: { email } })
    await outbox.settled()

    expect(await table.row(id)).toMatchObject({ status: 'waiting', last_error: stored })
    await outbox.close()
  })
})
