import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { memoryLimitStore } from '../src/limits/open-limit-store.ts'
import { connectRedis, linkOfClient } from '../src/limits/redis-buckets.ts'
import { type OpenLink, openRedisLimitStore } from '../src/limits/redis-limit-store.ts'
import { hasRedis, type RedisServer, startRedis } from './support/redis-server.ts'
import { collectInto, type LogEntry } from './support/test-auth.ts'
import { createTestClock, type TestClock } from './support/test-clock.ts'

/** A way to Redis, and how the test ends it. */
interface OpenedLink {
  openLink: OpenLink
  close(): void
}

const limit = { burst: 5, refillPerSecond: 5 }
const counted = (key: string) => [{ key, limit }]

let server: RedisServer
let clock: TestClock
let log: LogEntry[]
let ends: (() => unknown)[]

const openers: Record<string, () => Promise<OpenedLink>> = {
  'its own connection': async () => ({
    openLink: (lost) => connectRedis(server.url, lost),
    close: () => {},
  }),
  'a client of ioredis': async () => {
    const client = new Redis(server.url)
    client.on('error', () => {})
    return { openLink: async () => linkOfClient(client), close: () => client.disconnect() }
  },
  'a client of redis': async () => {
    const client = createClient({ url: server.url })
    client.on('error', () => {})
    await client.connect()
    return { openLink: async () => linkOfClient(client), close: () => client.destroy() }
  },
}

async function openStore(name: string) {
  const open = openers[name] as () => Promise<OpenedLink>
  const { openLink, close } = await open()
  const fallbacks: string[] = []
  const telemetry = { count: (counter: string) => fallbacks.push(counter) }
  const store = await openRedisLimitStore(
    openLink,
    {
      fallback: memoryLimitStore(clock),
      storeClock: clock,
      logger: collectInto(log),
      telemetry: telemetry as never,
    },
    { halfAttemptMs: 400, retryMs: 50 },
  )
  ends.push(store.close, close)
  return Object.assign(store, { fallbacks })
}

const warnings = () => log.filter(({ level }) => level === 'warn').map(({ message }) => message)
const unavailable = expect.stringContaining('Redis is unavailable')

describe.skipIf(!hasRedis).each(Object.keys(openers))('limits in Redis, through %s', (name) => {
  beforeAll(async () => {
    server = await startRedis()
  })
  beforeEach(() => {
    clock = createTestClock()
    log = []
    ends = []
  })
  afterEach(async () => {
    for (const end of ends) await end()
    server.resume()
    await server.restart()
  })
  afterAll(() => server.kill())

  it('allows the burst, of 50 at once over two instances, and not one more', async () => {
    const stores = [await openStore(name), await openStore(name)]

    const takes = Array.from({ length: 50 }, (_, index) =>
      stores[index % 2]?.take(counted('burst')),
    )

    const taken = await Promise.all(takes)
    expect(taken.filter((one) => one?.allowed)).toHaveLength(5)
    expect(taken.find((one) => !one?.allowed)).toEqual({ allowed: false, retryAfterSeconds: 1 })
  })

  it('is a token bucket: it refills one by one, up to the burst', async () => {
    const store = await openStore(name)
    const slow = [{ key: 'slow', limit: { burst: 4, refillPerSecond: 0.5 } }]
    const allowed = async () => {
      const taken = await Promise.all(Array.from({ length: 10 }, () => store.take(slow)))
      return taken.filter((one) => one.allowed).length
    }

    expect(await allowed()).toBe(4)
    clock.advance(2)
    expect(await allowed()).toBe(1)
    clock.advance(1)
    expect(await store.take(slow)).toEqual({ allowed: false, retryAfterSeconds: 1 })
    clock.advance(3600)
    expect(await allowed()).toBe(4)
  })

  it('S16: counts the networks of a client in one step, and a rejected request for none of them', async () => {
    const store = await openStore(name)
    const wider = { burst: 8, refillPerSecond: 1 }
    const take = (network: string) =>
      store.take([
        { key: 'wider', limit: wider },
        { key: network, limit },
      ])
    const first = await Promise.all(Array.from({ length: 20 }, () => take('first')))
    const second = await Promise.all(Array.from({ length: 20 }, () => take('second')))

    const count = (taken: typeof first) => taken.filter((one) => one.allowed).length
    expect([count(first), count(second)]).toEqual([5, 3])
  })

  it('is not refilled twice by instances whose clocks differ', async () => {
    const behind = await openStore(name)
    clock = createTestClock()
    clock.advance(4)
    const ahead = await openStore(name)
    const slow = [{ key: 'clocks', limit: { burst: 5, refillPerSecond: 0.5 } }]
    let allowed = 0
    for (let turn = 0; turn < 20; turn += 1)
      for (const store of [behind, ahead]) allowed += (await store.take(slow)).allowed ? 1 : 0

    // The burst, and the first token again, which the later clock refills.
    expect(allowed).toBe(6)
  })

  it('H25: stores keys of digests, which expire when the bucket is full', async () => {
    const store = await openStore(name)
    await store.take([{ key: 'k'.repeat(8192), limit: { burst: 10, refillPerSecond: 0.1 } }])
    const reader = new Redis(server.url)

    const [key = ''] = await reader.keys('*')
    const keys = await reader.keys('*')
    const ttls = await Promise.all(keys.map((one) => reader.pttl(one)))
    reader.disconnect()

    // The other one is that of the probe.
    expect(keys).toHaveLength(2)
    expect(key.length).toBeLessThan(100)
    expect(Math.min(...ttls)).toBeGreaterThan(0)
    expect(Math.max(...ttls)).toBeLessThanOrEqual(11_000)
  })

  it('counts elsewhere while Redis is down, with one warning, and in Redis again afterwards', async () => {
    const store = await openStore(name)
    for (let index = 0; index < 5; index += 1) await store.take(counted('down'))

    await server.kill()
    const taken = await Promise.all(Array.from({ length: 20 }, () => store.take(counted('down'))))
    const later = await store.take(counted('down'))

    expect(taken.filter((one) => one.allowed)).toHaveLength(5)
    expect(later).toMatchObject({ allowed: false })
    expect(warnings()).toEqual([unavailable])
    expect(store.fallbacks).toEqual(Array.from({ length: 21 }, () => 'auth.limits.fallbacks'))
    await server.restart()
    await expect.poll(() => log.at(-1)?.message).toContain('Redis is available again')
    // Calls of a host's client may have waited for the connection, and have taken from `down`.
    expect(await store.take(counted('up again'))).toEqual({ allowed: true })
    expect(store.fallbacks).toHaveLength(21)
  })

  it('waits for a Redis that does not respond once, and for no later request', async () => {
    const store = await openStore(name)
    server.freeze()

    const first = await store.take(counted('frozen'))
    const begunAt = performance.now()
    for (let index = 0; index < 3; index += 1) await store.take(counted('frozen'))
    const ms = performance.now() - begunAt

    expect(first).toEqual({ allowed: true })
    expect(ms).toBeLessThan(400)
    expect(warnings()).toEqual([unavailable])
    server.resume()
    await expect.poll(() => log.at(-1)?.message).toContain('Redis is available again')
  })

  it('starts while Redis is down, and uses it as soon as it responds', async () => {
    // Its host waits until it is connected.
    if (name === 'a client of redis') return
    await server.kill()

    const store = await openStore(name)
    const { allowed } = await store.take(counted('late'))

    expect([allowed, warnings()]).toEqual([true, [unavailable]])
    await server.restart()
    await expect.poll(() => log.at(-1)?.message).toContain('Redis is available again')
  })

  it('counts elsewhere while Redis rejects writes', async () => {
    const store = await openStore(name)
    const operator = new Redis(server.url)
    await operator.config('SET', 'maxmemory', '1')
    const taken = await store.take(counted('full'))

    expect([taken.allowed, warnings()]).toEqual([true, [unavailable]])
    await new Promise((done) => setTimeout(done, 200))
    expect(warnings()).toHaveLength(1)
    await operator.config('SET', 'maxmemory', '0')
    operator.disconnect()
    await expect.poll(() => log.at(-1)?.message).toContain('Redis is available again')
  })
})

it.skipIf(!hasRedis)('reports a lost connection without a request', async () => {
  server = await startRedis()
  log = []
  ends = []
  clock = createTestClock()
  await openStore('its own connection')

  await server.kill()

  await expect.poll(warnings).toEqual([unavailable])
  for (const end of ends) await end()
})
