import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { runSql } from '../../../test/support/sql.ts'
import { waitFor } from '../../../test/support/wait-for.ts'
import { startWireProxy, type WireProxy } from '../../../test/support/wire-proxy.ts'
import { type ChangeListener, listenForChanges } from './listen-for-changes.ts'

const table = '"auth"."signing_keys"'
const pauses = { first: 20, longest: 40 }

let database: TestDatabase
let proxy: WireProxy
let listener: ChangeListener
let heard: number

beforeAll(async () => {
  database = await createTestDatabase()
  proxy = await startWireProxy(database.url)
})
afterEach(async () => {
  proxy.allow()
  await listener.close()
})
afterAll(async () => {
  await proxy.close()
  await database.drop()
})

const start = () => {
  heard = 0
  const changed = () => {
    heard++
  }
  listener = listenForChanges({ url: proxy.url, table, changed }, pauses)
}
const hears = (times: number) => waitFor(() => expect(heard).toBe(times))
const announce = (payload: string, channel = 'latchkey') =>
  runSql(database.url, { text: 'select pg_notify($1, $2)', values: [channel, payload] })
const connections = () =>
  runSql(
    database.url,
    `select pid from pg_stat_activity
     where application_name = 'latchkey listener' and datname = current_database()`,
  )

it('reports a change when it starts to listen, and at each notification', async () => {
  start()
  await hears(1)

  await announce(table)

  await hears(2)
})

it('does not report notifications of other tables and channels', async () => {
  start()
  await hears(1)

  await announce('"other"."signing_keys"')
  await announce(table, 'latchkeys')
  await announce(table)

  await hears(2)
})

it('connects again after a disconnection, and reports a possible change', async () => {
  start()
  await hears(1)

  proxy.cut()
  await hears(2)
  await announce(table)

  await hears(3)
})

it('waits for a database that is not reachable', async () => {
  proxy.refuse()
  start()
  await new Promise((done) => setTimeout(done, 100))
  expect(heard).toBe(0)

  proxy.allow()

  await hears(1)
})

it.each(['listening', 'connecting', 'refused'] as const)(
  'leaves no connection when it closes while %s',
  async (state) => {
    if (state === 'connecting') proxy.ignore()
    if (state === 'refused') proxy.refuse()
    start()
    if (state === 'listening') await hears(1)

    await listener.close()

    await waitFor(async () => expect(await connections()).toEqual([]))
  },
)
