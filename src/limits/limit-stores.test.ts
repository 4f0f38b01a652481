import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startTestAuth, type TestAuth } from '../../test/support/test-auth.ts'
import { createTestClock } from '../../test/support/test-clock.ts'
import type { LimitStore } from './limit-store.ts'
import { memoryLimitStore, postgresLimitStore } from './open-limit-store.ts'

const limit = { burst: 5, refillPerSecond: 0.5 }
const clock = createTestClock()

let auth: TestAuth
let stores: Record<string, LimitStore>

beforeAll(async () => {
  auth = await startTestAuth()
  const { database } = await auth.deps()
  stores = {
    memory: memoryLimitStore(clock),
    PostgreSQL: postgresLimitStore(database.sql, clock),
  }
})
afterAll(() => auth.close())

const allowed = async (store: LimitStore | undefined, key: string, times: number) => {
  const taken = await Promise.all(
    Array.from({ length: times }, () => store?.take([{ key: key, limit }])),
  )
  return taken.filter((one) => one?.allowed).length
}

/** Counts how many of several concurrent requests PostgreSQL allows. */
const allowedOf = async (key: string, limited: typeof limit, times: number) => {
  const taken = await Promise.all(
    Array.from({ length: times }, () => stores['PostgreSQL']?.take([{ key, limit: limited }])),
  )
  return taken.filter((one) => one?.allowed).length
}

describe.each(['memory', 'PostgreSQL'])('%s', (name) => {
  it('allows the burst, of 50 at once, and not one more', async () => {
    expect(await allowed(stores[name], `${name} burst`, 50)).toBe(5)
  })

  it('refills with time, up to the burst', async () => {
    await allowed(stores[name], `${name} refill`, 5)

    clock.advance(4)
    expect(await allowed(stores[name], `${name} refill`, 10)).toBe(2)
    clock.advance(3600)
    expect(await allowed(stores[name], `${name} refill`, 10)).toBe(5)
  })

  it('is not refilled twice where the clock was set back', async () => {
    await allowed(stores[name], `${name} set back`, 5)
    const refilled = []
    for (const seconds of [4, -4, 4]) {
      clock.advance(seconds)
      refilled.push(await allowed(stores[name], `${name} set back`, 10))
    }
    expect(refilled).toEqual([2, 0, 0])

    clock.advance(-3600)
    expect(await allowed(stores[name], `${name} set back`, 10)).toBe(5)
  })

  it('counts keys separately, and returns the seconds to wait', async () => {
    await allowed(stores[name], `${name} one`, 5)

    expect(await stores[name]?.take([{ key: `${name} one`, limit }])).toEqual({
      allowed: false,
      retryAfterSeconds: 2,
    })
    expect(await stores[name]?.take([{ key: `${name} other`, limit }])).toEqual({ allowed: true })
  })

  it('S16: takes from each network of a client, or from none', async () => {
    const wider = { burst: 8, refillPerSecond: 0.1 }
    const take = (network: string) =>
      stores[name]?.take([
        { key: `${name} wider`, limit: wider },
        { key: `${name} ${network}`, limit },
      ])

    const first = await Promise.all(Array.from({ length: 20 }, () => take('first')))
    const second = await Promise.all(Array.from({ length: 20 }, () => take('second')))

    const count = (taken: typeof first) => taken.filter((one) => one?.allowed).length
    expect([count(first), count(second)]).toEqual([5, 3])
    expect(await take('first')).toEqual({ allowed: false, retryAfterSeconds: 10 })
    expect(await take('third')).toEqual({ allowed: false, retryAfterSeconds: 10 })
  })

  it('S16: takes without a fault from networks that many requests create at once', async () => {
    const wide = { burst: 60, refillPerSecond: 0.1 }
    const take = (index: number) =>
      stores[name]?.take([
        { key: `${name} all`, limit: wide },
        { key: `${name} part ${index % 7}`, limit: wide },
        { key: `${name} own ${index}`, limit },
      ])

    const taken = await Promise.all(Array.from({ length: 80 }, (_, index) => take(index)))

    expect(taken.filter((one) => one?.allowed)).toHaveLength(60)
  })
})

describe('PostgreSQL, over several processes', () => {
  const slow = { burst: 5, refillPerSecond: 0.5 }

  it('is not refilled twice by instances whose clocks differ', async () => {
    const { database } = await auth.deps()
    const times = [createTestClock(), createTestClock()]
    times[1]?.advance(4)
    const [behind, ahead] = times.map((time) => postgresLimitStore(database.sql, time))
    let count = 0
    for (let turn = 0; turn < 20; turn += 1)
      for (const store of [behind, ahead])
        count += (await store?.take([{ key: 'clocks', limit: slow }]))?.allowed ? 1 : 0

    // The burst, and the first token again, which the later clock refills.
    expect(count).toBe(6)
  })

  it('uses the clock of the database, whatever those of the instances', async () => {
    const { database } = await auth.deps()
    const store = postgresLimitStore(database.sql, null)
    await store.take([{ key: 'own clock', limit: slow }])

    const [row] = await auth.rows(
      `select abs(extract(epoch from now() - max(refilled_at))) < 60 as is_near
       from auth.rate_limit_buckets`,
    )
    expect(row).toEqual({ is_near: true })
  })

  it('S16: takes nothing from a wide network for requests that its new narrow one rejects', async () => {
    const wide = { burst: 100, refillPerSecond: 0 }
    const narrow = { burst: 1, refillPerSecond: 0 }
    const take = (network: string) =>
      stores['PostgreSQL']?.take([
        { key: 'wide', limit: wide },
        { key: network, limit: narrow },
      ])

    const taken = await Promise.all(
      Array.from({ length: 100 }, (_, index) => take(`narrow ${index % 5}`)),
    )
    const rest = await allowedOf('wide', wide, 200)

    expect(taken.filter((one) => one?.allowed)).toHaveLength(5)
    expect(rest).toBe(95)
  })
})

it('H25: stores no key longer than a digest', async () => {
  const set = vi.spyOn(Map.prototype, 'set')
  await memoryLimitStore(clock).take([{ key: 'k'.repeat(8192), limit }])
  const kept = set.mock.calls.map(([key]) => String(key).length)
  set.mockRestore()
  await stores.PostgreSQL?.take([{ key: 'k'.repeat(8192), limit }])
  const [row] = await auth.rows('select max(length(key)) as length from auth.rate_limit_buckets')

  expect(Math.max(...kept)).toBe(64)
  expect(row).toEqual({ length: 64 })
})

it('in memory, stores at most 100,000 keys and deletes the least recently used one', async () => {
  const store = memoryLimitStore(clock)
  const tight = { burst: 1, refillPerSecond: 0 }
  await store.take([{ key: 'first', limit: tight }])
  await store.take([{ key: 'second', limit: tight }])
  await store.take([{ key: 'first', limit: tight }])
  for (let index = 0; index < 99_999; index += 1)
    await store.take([{ key: `key ${index}`, limit: tight }])

  expect(await store.take([{ key: 'first', limit: tight }])).toMatchObject({ allowed: false })
  expect(await store.take([{ key: 'second', limit: tight }])).toMatchObject({ allowed: true })
})
