import { EventEmitter } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { startTestAuth } from '../../../test/support/test-auth.ts'
import { waitFor } from '../../../test/support/wait-for.ts'
import { createConnectionQueue } from './connection-queue.ts'
import { PatientPool } from './patient-pool.ts'

const cleanUp: (() => Promise<unknown>)[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const step of cleanUp.splice(0).reverse()) await step()
})

/** The errors of connections that cannot be opened, in their order. */
const refusals: Error[] = []

/** The part of a connection that `pg-pool` uses. */
class Connection extends EventEmitter {
  readonly _queryable = true
  connect(done: (error: Error | null) => void) {
    process.nextTick(done, refusals.shift() ?? null)
  }
  end(done: () => void) {
    process.nextTick(done)
  }
}

/**
 * A pool of this number of connections without a server, and the requests in the order in which
 * they got one.
 */
function givenPool(max: number) {
  let client: string | null = null
  const pool = new PatientPool({
    max,
    idleTimeoutMillis: 0,
    Client: Connection as unknown as NonNullable<pg.PoolConfig['Client']>,
    currentClient: () => {
      const key = client
      return key === null ? null : { clientKey: () => key || null }
    },
  })
  const served: string[] = []
  const held: pg.PoolClient[] = []
  return {
    pool,
    served,
    /**
     * @param by the key of the client; empty where it cannot be identified, null for the service
     *   itself.
     */
    request: (name: string, by: string | null) => {
      client = by
      pool.connect((error, connection) => {
        served.push(error ? `${name}: ${error.message}` : name)
        if (connection) held.push(connection)
      })
      client = null
    },
    /**
     * Releases the connection that was taken first, this number of times, and returns the requests
     * that are then served.
     */
    release: async (times: number, isBroken = false) => {
      await nextTurn()
      const from = served.length
      for (let index = 0; index < times; index += 1) {
        held.shift()?.release(isBroken)
        await nextTurn()
      }
      return served.slice(from)
    },
  }
}

const site = (subnet: number) => `2001:db8:bad:${subnet.toString(16)}::/64`

describe('S35: requests of one network that take every connection', () => {
  it('leave the next but one to another network, for requests from any number of networks of a /48', async () => {
    const { request, release } = givenPool(2)
    for (let index = 0; index < 200; index += 1) request('flood', site(index))
    request('other', '2001:db8:600d:1::/64')
    request('honest', '203.0.113.7')

    expect(await release(6)).toEqual(['flood', 'other', 'honest', 'flood', 'flood', 'flood'])
  })

  it('leave the next but one to another /24', async () => {
    const { request, release } = givenPool(1)
    for (let index = 0; index < 200; index += 1) request('flood', `198.51.100.${index}`)
    request('honest', '203.0.113.7')

    expect(await release(3)).toEqual(['flood', 'honest', 'flood'])
  })

  it('share the turns of their /48 with its other networks', async () => {
    const { request, release } = givenPool(1)
    for (let index = 0; index < 50; index += 1) request('flood', site(0x100))
    request('same /56', site(0x101))
    request('other /56', site(0x200))

    expect(await release(4)).toEqual(['flood', 'other /56', 'same /56', 'flood'])
  })

  it('take turns with those of clients that cannot be identified, which count as one network', async () => {
    const { request, release } = givenPool(1)
    for (let index = 0; index < 50; index += 1) request('unknown', '')
    request('known', '203.0.113.7')

    expect(await release(2)).toEqual(['unknown', 'known'])
  })

  it('leave a place to statements of the service, for requests from any number of networks', async () => {
    const { request, release } = givenPool(1)
    for (let index = 0; index < 100; index += 1) request('client', `203.0.${index}.7`)
    for (let index = 0; index < 3; index += 1) request('own', null)

    const served = await release(12)

    expect(served.filter((name) => name === 'own')).toHaveLength(3)
    expect(served.indexOf('own')).toBeLessThan(4)
  })

  it('are served three times as often as statements of the service', async () => {
    const { request, release } = givenPool(1)
    for (let index = 0; index < 100; index += 1) request('own', null)
    for (let index = 0; index < 6; index += 1) request('client', '203.0.113.7')

    const served = await release(8)

    expect(served.filter((name) => name === 'client')).toHaveLength(6)
    expect(await release(2)).toEqual(['own', 'own'])
  })

  it('leave the place of a connection that breaks or cannot be opened to the next', async () => {
    const { request, release, pool } = givenPool(1)
    for (let index = 0; index < 3; index += 1) request('flood', '198.51.100.66')
    request('honest', '203.0.113.7')

    await release(0)
    refusals.push(new Error('refused'))

    expect(await release(1, true)).toEqual(['flood: refused', 'honest'])
    expect(await release(1)).toEqual(['flood'])
    expect(pool.demand).toBe(0)
  })

  it('wait for nine seconds at most, and get no connection afterwards', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { request, release, pool, served } = givenPool(1)
    for (const name of ['first', 'second']) request(name, '198.51.100.66')
    await nextTurn()

    vi.advanceTimersByTime(9_000)

    expect(served).toEqual(['first', 'second: timeout exceeded when trying to connect'])
    expect(pool.demand).toBe(0)
    expect(await release(1)).toEqual([])
  })

  it('are rejected once the pool has ended', async () => {
    const { request, release, pool } = givenPool(1)
    for (const name of ['first', 'second']) request(name, '198.51.100.66')
    await release(0)
    const ended = pool.end()

    const served = await release(1)
    await ended

    expect(served).toEqual(['second: Cannot use a pool after calling end on the pool'])
  })

  it('to the service leave turns to other clients and to its own statements', async () => {
    const { auth, waiting } = await givenService()
    // Eight requests of one user are served concurrently.
    const users = [1, 2, 3, 4, 5].map(() => auth.given.session())
    const tokens = (await Promise.all(users)).map(({ accessToken }) => accessToken)
    const honest = await auth.given.session()
    const table = await givenLockedTable(auth.databaseUrl)
    const finished: string[] = []
    const send = async (name: string, ip: string, token: string | undefined) => {
      const { status } = await auth.get('/user', { ip, ...(token && { token }) })
      finished.push(`${name} ${status}`)
    }

    const sent = Array.from({ length: 30 }, (_, index) =>
      send('flood', '198.51.100.66', tokens[index % tokens.length]),
    )
    await waiting(29)
    sent.push(send('honest', '203.0.113.7', honest.accessToken))
    await waiting(30)
    sent.push(auth.rows('select 1').then(() => void finished.push('own')))
    await waiting(31)
    await table.release()
    await Promise.all(sent)

    expect(finished).toHaveLength(32)
    expect(finished.indexOf('honest 200')).toBeLessThan(4)
    // Other statements of the service may be before it.
    expect(finished.indexOf('own')).toBeLessThan(15)
  })

  it('do not count statements of the service that their transaction causes', async () => {
    const { auth, database, waiting } = await givenService()
    const finished: string[] = []
    const ask = async (name: string) => {
      await auth.rows('select 1')
      finished.push(name)
    }
    const asClient = <T>(work: () => T) =>
      database.inTurnOf?.({ clientKey: () => '198.51.100.66' }, work)
    const sent: unknown[] = []

    await asClient(() =>
      database.transaction(async () => {
        for (let index = 0; index < 30; index += 1) sent.push(asClient(() => ask('flood')))
        await waiting(30)
        sent.push(ask('own'))
        await waiting(31)
      }),
    )
    await Promise.all(sent)

    expect(finished).toHaveLength(31)
    // Other statements of the service may be before it.
    expect(finished.indexOf('own')).toBeLessThan(15)
  })
})

/** A service with a single connection. */
async function givenService() {
  const auth = await startTestAuth({ database: { maxPoolSize: 1 } })
  cleanUp.push(auth.close)
  const { database } = await auth.deps()
  const waiting = (count: number) =>
    waitFor(() => expect(database.load?.().waiting).toBeGreaterThanOrEqual(count))
  return { auth, database, waiting }
}

/** Blocks each statement about users until it is released. */
async function givenLockedTable(url: string): Promise<{ release(): Promise<unknown> }> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  cleanUp.push(() => client.end())
  await client.query('begin; lock table auth.users in access exclusive mode')
  return { release: () => client.query('rollback') }
}

describe('the queue for connections', () => {
  it('serves the service at once where no client waits', () => {
    const queue = createConnectionQueue<string>()
    queue.add(null, 'first')
    queue.add(null, 'second')

    expect([queue.next(), queue.next(), queue.next()]).toEqual(['first', 'second', undefined])
  })

  it('stores no request that was removed', () => {
    const queue = createConnectionQueue<string>()
    queue.add(['203.0.113.0/24', '203.0.113.7'], 'client')
    queue.add(null, 'own')
    queue.remove(['203.0.113.0/24', '203.0.113.7'], 'client')
    queue.remove(null, 'own')

    expect([queue.size(), queue.next()]).toEqual([0, undefined])
  })
})
