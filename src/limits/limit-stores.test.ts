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
