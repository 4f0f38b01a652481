import { connect, createServer, type Socket } from 'node:net'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { runSql } from '../../../test/support/sql.ts'
import { type PostgresServer, startPostgres } from '../../../test/support/start-postgres.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { waitFor } from '../../../test/support/wait-for.ts'
import { readRoom, roomIn } from './connection-room.ts'
import { uncountedCeiling } from './patient-pool.ts'

/**
 * Server settings: of 43 connections three are reserved for superusers, so that the pools use 32 of
 * 40 at most.
 */
const settings = { max_connections: '43', superuser_reserved_connections: '3' }
const ours = 32

let server: PostgresServer
let role: string
const cleanUp: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  server = await startPostgres(settings)
  await runSql(server.url, `create role app login password 'secret'`)
  await runSql(server.url, 'create database app owner app')
  role = Object.assign(new URL(server.url), {
    username: 'app',
    password: 'secret',
    pathname: '/app',
  }).href
}, 60_000)
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step()
  // The server registers the end of a connection with a delay.
  await waitFor(async () => expect(await connected()).toBe(1))
})
afterAll(() => server.stop())

async function started(url = role): Promise<TestAuth> {
  const auth = await startTestAuth({ database: { url, maxPoolSize: 0 } })
  cleanUp.push(auth.close)
  return auth
}

async function opened(url = role): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'another' })
  client.on('error', () => {})
  await client.connect()
  cleanUp.push(() => client.end())
  return client
}

async function givenOthers(count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => opened()))
}

/** Blocks each statement about users until it is released. */
async function givenLockedTable(): Promise<{ release(): Promise<unknown> }> {
  const client = await opened(Object.assign(new URL(server.url), { pathname: '/app' }).href)
  await client.query('begin; lock table auth.users in access exclusive mode')
  return { release: () => client.query('rollback') }
}

/** Returns the connections of all pools together. */
const taken = () => connected(`application_name = 'latchkey'`)

/** Returns the connections of clients, including that of this query. */
async function connected(condition = 'true'): Promise<number> {
  const [row] = await runSql(
    server.url,
    `select count(*)::int as count from pg_stat_activity
     where backend_type = 'client backend' and ${condition}`,
  )
  return Number(row?.['count'])
}

/** Records the maximum number of connections of all pools, until it is stopped. */
function watchTaken() {
  let most = 0
  let isOver = false
  const watching = (async () => {
    while (!isOver) most = Math.max(most, await taken())
  })()
  return {
    end: async () => {
      isOver = true
      await watching
      return most
    },
  }
}

const every = (count: number, status: number) => Array.from({ length: count }, () => status)

describe('S25: a pool without a ceiling', { timeout: 60_000 }, () => {
  it('leaves the last fifth of the server to other applications while a table is locked and 150 requests wait', async () => {
    const auth = await started()
    const sendAll = await prepared(auth, 150)
    const watch = watchTaken()
    const table = await givenLockedTable()
    const requested = sendAll()
    // One is left for the connection that counts.
    await waitFor(async () => expect(await taken()).toBeGreaterThanOrEqual(ours - 3))

    const load = (await auth.deps()).database.load?.()
    expect(load?.ceiling).toBeGreaterThanOrEqual(ours - 8)
    expect(load?.ceiling).toBeLessThanOrEqual(ours)
    const others = await Promise.all(Array.from({ length: 5 }, () => opened()))
    expect((await others[0]?.query('select 1 as one'))?.rows).toEqual([{ one: 1 }])
    await table.release()

    expect(await requested).toEqual(every(150, 200))
    expect(await watch.end()).toBeLessThanOrEqual(ours)
  })

  it('shares that with the pools of other processes', async () => {
    const all = [await started(), await started(), await started()]
    const sendAll = await Promise.all(all.map((auth) => prepared(auth, 60)))
    const watch = watchTaken()
    const table = await givenLockedTable()
    const requested = sendAll.map((ask) => ask())
    await waitFor(async () => expect(await taken()).toBeGreaterThanOrEqual(ours - 3))
    await opened()
    await table.release()

    for (const statuses of await Promise.all(requested)) expect(statuses).toEqual(every(60, 200))
    expect(await watch.end()).toBeLessThanOrEqual(ours)
  })

  it('counts the connections of other applications', async () => {
    const auth = await started()
    await givenOthers(20)
    const sendAll = await prepared(auth, 60)
    const watch = watchTaken()
    const table = await givenLockedTable()
    const requested = sendAll()
    await waitFor(async () => expect(await taken()).toBeGreaterThanOrEqual(5))
    await opened()
    await table.release()

    expect(await requested).toEqual(every(60, 200))
    // The connections of this test count as others, too.
    expect(await watch.end()).toBeLessThanOrEqual(ours - 20 - 1)
  })

  it('takes one connection, and serves every request, where others have left less than a fifth', async () => {
    const auth = await started()
    await givenOthers(34)

    const statuses = await (await prepared(auth, 40))()

    expect(statuses).toEqual(every(40, 200))
  })

  it('returns 503 or 504 to requests that a locked table delays, and recovers', async () => {
    const auth = await started()
    const sendAll = await prepared(auth, 60)
    const table = await givenLockedTable()

    const statuses = new Set(await sendAll())
    await table.release()

    expect([...statuses].filter((status) => status !== 503 && status !== 504)).toEqual([])
    expect(statuses).toContain(503)
    await waitFor(async () => {
      expect(await (await prepared(auth, 40))()).toEqual(every(40, 200))
    })
  })

  it('respects the limit of its role and of its database', async () => {
    await runSql(server.url, 'alter role app connection limit 10')
    cleanUp.push(() => runSql(server.url, 'alter role app connection limit -1'))
    const auth = await started()
    const sendAll = await prepared(auth, 60)
    const watch = watchTaken()
    const table = await givenLockedTable()
    const requested = sendAll()
    await waitFor(async () => expect(await taken()).toBeGreaterThanOrEqual(6))
    await opened()
    await table.release()

    expect(await requested).toEqual(every(60, 200))
    expect(await watch.end()).toBeLessThanOrEqual(8)
  })

  it('has a fixed ceiling behind a pooler, which hides connections', async () => {
    const auth = await started(await givenPooler(role))
    const sendAll = await prepared(auth, 100)
    const watch = watchTaken()
    const table = await givenLockedTable()
    const requested = sendAll()
    await waitFor(async () => expect(await taken()).toBeGreaterThanOrEqual(uncountedCeiling))
    await table.release()

    expect(await requested).toEqual(every(100, 200))
    // One listening connection is outside the pool.
    expect(await watch.end()).toBeLessThanOrEqual(uncountedCeiling + 1)
  })
})

/**
 * Creates a sender of requests whose callers are signed in before. Of one user, eight are served
 * concurrently.
 */
async function prepared(auth: TestAuth, count: number): Promise<() => Promise<number[]>> {
  const tokens: string[] = []
  for (let user = 0; user < count / 8; user += 1) {
    const { accessToken } = await auth.given.session(`${crypto.randomUUID()}@example.test`)
    tokens.push(accessToken)
  }
  return async () =>
    Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const { status } = await auth.get('/user', { token: tokens[index % tokens.length] ?? '' })
        return status
      }),
    )
}

/** Passes connections on, as PgBouncer does, with an id of its own for each. */
async function givenPooler(url: string): Promise<string> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  const pooler = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    }
    client.pipe(upstream)
    upstream.on('data', (chunk: Buffer) => client.write(withOtherProcessId(chunk)))
    upstream.on('close', () => client.destroy())
    client.on('close', () => upstream.destroy())
  })
  await new Promise<void>((resolve) => pooler.listen(0, '127.0.0.1', resolve))
  cleanUp.push(async () => {
    for (const socket of sockets) socket.destroy()
    pooler.close()
  })
  const { port } = pooler.address() as { port: number }
  return Object.assign(new URL(url), { port: String(port) }).href
}

/** @see PostgreSQL documentation, 54.7 `BackendKeyData` */
function withOtherProcessId(chunk: Buffer): Buffer {
  const start = chunk.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]))
  if (start >= 0) chunk.writeInt32BE(1, start + 5)
  return chunk
}

describe('the available connections', () => {
  const row = {
    pid: 7,
    server_most: 97,
    is_superuser: false,
    role_most: -1,
    database_most: -1,
    server_used: 10,
    role_used: 4,
    database_used: 5,
  }
  const roomOf = (changes: Partial<typeof row>) => {
    const room = readRoom({ ...row, ...changes }, 7)
    return room.isPooled ? null : { of: room.bounds[0].of, room: roomIn(room.bounds[0]) }
  }

  it('are four fifths of the narrowest bound, without the open connections', () => {
    expect(roomOf({})).toEqual({ of: 'server', room: 67 })
    expect(roomOf({ role_most: 20 })).toEqual({ of: 'role', room: 12 })
    expect(roomOf({ role_most: 20, database_most: 10 })).toEqual({ of: 'database', room: 3 })
    expect(roomOf({ server_used: 90 })).toEqual({ of: 'server', room: -13 })
  })

  it('is only that of the server for a superuser', () => {
    expect(roomOf({ role_most: 20, is_superuser: true })).toEqual({ of: 'server', room: 67 })
  })

  it('are unknown behind a pooler', () => {
    expect(readRoom(row, 8)).toEqual({ isPooled: true })
    expect(readRoom(undefined, 8)).toEqual({ isPooled: true })
  })
})
