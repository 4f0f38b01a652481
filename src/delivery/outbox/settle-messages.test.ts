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
