import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, describe, expect, inject, it } from 'vitest'
import { createEmptyDatabase } from '../../../test/support/database.ts'
import { runSql } from '../../../test/support/sql.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { PatientPool } from './patient-pool.ts'

const cleanUp: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step()
})

/**
 * Creates a database whose owner, which Latchkey and its host share, may have this number of
 * connections.
 */
async function givenScarceDatabase(connections: number): Promise<string> {
  const server = inject('databaseUrl')
  const role = `latchkey_scarce_${randomBytes(6).toString('hex')}`
  await runSql(
    server,
    `create role ${role} login password 'secret' connection limit ${connections}`,
  )
  cleanUp.push(() => runSql(server, `drop role ${role}`))
  const database = await createEmptyDatabase()
  cleanUp.push(database.drop)
  const { pathname } = new URL(database.url)
  await runSql(server, `alter database "${pathname.slice(1)}" owner to ${role}`)
  return Object.assign(new URL(database.url), { username: role, password: 'secret' }).href
}

async function started(url: string, maxPoolSize?: number): Promise<TestAuth> {
  const auth = await startTestAuth({
    database: { url, ...(maxPoolSize !== undefined && { maxPoolSize }) },
  })
  cleanUp.push(auth.close)
  return auth
}

/** Returns the statuses of this number of concurrent requests, with their counts. */
async function manyAtOnce(auth: TestAuth, count: number): Promise<Record<number, number>> {
  const { accessToken } = await auth.given.session()
  const counts: Record<number, number> = {}
  await Promise.all(
    Array.from({ length: count }, async () => {
      const { status } = await auth.get('/user', { token: accessToken })
      counts[status] = (counts[status] ?? 0) + 1
    }),
  )
  return counts
}

/** The host's statements, one after another, each on a new connection. */
function hostUsing(url: string) {
  const failures: string[] = []
  let isOver = false
  const use = async () => {
    while (!isOver) {
      await runSql(url, 'select 1').catch((error: Error) => failures.push(error.message))
      await sleep(20)
    }
  }
  const using = use()
  return {
    end: async () => {
      isOver = true
      await using
      return failures
    },
  }
}

describe('H26: three hundred concurrent requests', { timeout: 60_000 }, () => {
  it('take ten connections in code, and leave the others to the host', async () => {
    // Ten and one that listens; connections of the host may still be closing.
    const url = await givenScarceDatabase(16)
    const auth = await started(url)
    const host = hostUsing(url)

    const statuses = await manyAtOnce(auth, 300)

    expect(statuses).toEqual({ 200: 300 })
    expect(await host.end()).toEqual([])
  })

  it('wait for connections that the server rejects, where there is no ceiling', async () => {
    const auth = await started(await givenScarceDatabase(8), 0)

    expect(await manyAtOnce(auth, 300)).toEqual({ 200: 300 })
  })

  it('leave one to other applications, where there is no ceiling', async () => {
    const url = await givenScarceDatabase(8)
    const auth = await started(url, 0)
    let isOver = false
    const load = (async () => {
      while (!isOver) await manyAtOnce(auth, 50)
    })()

    const client = await connectWithin(url, 30_000)
    isOver = true
    await load
    await client.end()
  })

  it('wait as long as others have all connections', async () => {
    const url = await givenScarceDatabase(6)
    const auth = await started(url, 0)
    const { accessToken } = await auth.given.session()
    await auth
      .rows('select pg_terminate_backend(pid) from pg_stat_activity where usename = user')
      .catch(() => {})
    const others = await takeAll(url)

    const requested = Promise.all(
      Array.from({ length: 20 }, () => auth.get('/user', { token: accessToken })),
    )
    await sleep(400)
    await Promise.all(others.map((client) => client.end()))

    expect(new Set((await requested).map(({ status }) => status))).toEqual(new Set([200]))
  })
})

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  return client
}

async function connectWithin(url: string, patienceMs: number): Promise<pg.Client> {
  const until = performance.now() + patienceMs
  for (;;) {
    try {
      return await connect(url)
    } catch (error) {
      if (performance.now() > until) throw error
      await sleep(20)
    }
  }
}

/** Opens connections until the server has none left. */
async function takeAll(url: string): Promise<pg.Client[]> {
  const taken: pg.Client[] = []
  for (;;) {
    try {
      taken.push(await connect(url))
    } catch {
      return taken
    }
  }
}

describe('a request that waits for a connection', () => {
  it('S78: begins no statement after its response, which is no fault of the database', async () => {
    let isOver = false
    const scopedClient = { clientKey: () => null, isOver: () => isOver }
    const database = await createEmptyDatabase()
    const pool = new PatientPool({
      connectionString: database.url,
      max: 1,
      currentClient: () => scopedClient,
    })
    cleanUp.push(database.drop, () => pool.end())
    const taken = await pool.connect()
    const waiting = pool.query('create table late (id int)')
    const rejected = expect(waiting).rejects.toMatchObject({ code: 'request_timeout' })

    isOver = true
    taken.release()
    await rejected
    isOver = false

    const { rows } = await pool.query(`select to_regclass('late') as late`)
    expect(rows).toEqual([{ late: null }])
    expect([pool.totalCount, pool.idleCount]).toEqual([1, 1])
  })
})

describe('S129: a certificate that cannot be read', () => {
  async function givenCertificate() {
    const database = await createEmptyDatabase()
    cleanUp.push(database.drop)
    const file = join(tmpdir(), `latchkey-${randomBytes(6).toString('hex')}.pem`)
    writeFileSync(file, 'a certificate')
    cleanUp.push(async () => rmSync(file, { force: true }))
    return { url: `${database.url}?sslmode=disable&sslrootcert=${file}`, file }
  }

  const outcomeOf = (connecting: Promise<pg.PoolClient>) =>
    connecting.then(
      (client) => {
        client.release()
        return 'connected'
      },
      ({ code }: { code?: string }) => code,
    )

  it('rejects a request for a further connection', async () => {
    const { url, file } = await givenCertificate()
    const pool = new PatientPool({ connectionString: url, max: 2 })
    cleanUp.push(() => pool.end())
    const held = await pool.connect()
    rmSync(file)

    const further = await outcomeOf(pool.connect())
    const { rows } = await held.query('select 1 as one')
    held.release()

    expect([further, rows]).toEqual(['ENOENT', [{ one: 1 }]])
  })

  it('delays the growth of a pool that counts connections', async () => {
    const { url, file } = await givenCertificate()
    const pool = new PatientPool({ connectionString: url, max: 0 })
    cleanUp.push(() => pool.end())
    const held = await pool.connect()
    rmSync(file)

    const further = outcomeOf(pool.connect())
    setImmediate(() => held.release())

    expect(await further).toBe('connected')
  })

  it('rejects a request that waited for the place of a broken connection', async () => {
    const { url, file } = await givenCertificate()
    const pool = new PatientPool({ connectionString: url, max: 1 })
    cleanUp.push(() => pool.end())
    const held = await pool.connect()
    const waiting = outcomeOf(pool.connect())
    rmSync(file)

    held.release(true)

    expect(await waiting).toBe('ENOENT')
  })
})
