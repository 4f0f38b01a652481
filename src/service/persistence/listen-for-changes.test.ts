import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { startSilentPooler } from '../../../test/support/silent-pooler.ts'
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
  listener = listenForChanges({ url: proxy.url, table, changed, notify: announce }, pauses)
}
const hears = (times: number) => waitFor(() => expect(heard).toBe(times))
const announce = async (payload: string, channel = 'latchkey') =>
  void (await runSql(database.url, {
    text: 'select pg_notify($1, $2)',
    values: [channel, payload],
  }))
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

it('reports whether it has received a notification of another connection', async () => {
  start()
  await waitFor(() => expect(listener.isNotified()).toBe(true))

  proxy.cut()
  await waitFor(() => expect(listener.isNotified()).toBe(false))
  await waitFor(() => expect(listener.isNotified()).toBe(true))
})

it('does not receive one through a pooler that drops notifications', async () => {
  const pooler = await startSilentPooler(database.url)
  heard = 0
  const changed = () => {
    heard++
  }
  listener = listenForChanges({ url: pooler.url, table, changed, notify: announce }, pauses)
  await hears(1)
  await waitFor(() => expect(pooler.dropped()).toBe(1))

  expect(listener.isNotified()).toBe(false)
  await pooler.close()
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

it('S129: tries again where a certificate cannot be read', async () => {
  const file = join(tmpdir(), `latchkey-listen-${process.pid}.pem`)
  const url = `${proxy.url}?sslmode=disable&sslrootcert=${file}`
  heard = 0
  const changed = () => {
    heard++
  }
  listener = listenForChanges({ url, table, changed, notify: announce }, pauses)

  // The first attempt has failed when this timer fires.
  await sleep(1)
  writeFileSync(file, 'a certificate')

  await hears(1)
  rmSync(file)
})
