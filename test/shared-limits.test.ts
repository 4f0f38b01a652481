import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ask } from './support/ask.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { type LineProxy, startLineProxy } from './support/line-proxy.ts'
import { hasRedis, type RedisServer, startRedis } from './support/redis-server.ts'
import { freePort, type ServerProcess, startServer } from './support/server-process.ts'
import type { Answer } from './support/test-auth.ts'

// Two `latchkey serve` on one database count requests per client together.

/** The limits never refill during a test, so counts are exact on a machine of any speed. */
const environment = {
  AUTH_RATE_LIMIT_HEADER: 'X-Real-IP',
  AUTH_RATE_LIMIT_VERIFY: '0',
  AUTH_API_MAX_REQUEST_DURATION: '60s',
}
const burst = 30

let database: TestDatabase
let line: LineProxy
let servers: ServerProcess[] = []
let redis: RedisServer

beforeAll(async () => {
  database = await createTestDatabase()
  line = await startLineProxy(
    Number(new URL(database.url).port || 5432),
    () => (_side, _chunk, pass) => pass(),
  )
  if (hasRedis) redis = await startRedis()
})
afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop()))
  servers = []
})
afterAll(async () => {
  await redis?.kill()
  await line?.stop()
  await database?.drop()
})

async function start(env: Record<string, string>, count = 2): Promise<void> {
  const url = new URL(database.url)
  url.host = `127.0.0.1:${line.port}`
  url.searchParams.set('sslmode', 'disable')
  const all = Array.from({ length: count }, () => startServer(url.href, { ...environment, ...env }))
  servers = await Promise.all(all)
}

/** Sends a request of a client, to one of the processes after the other. */
let sent = 0
const verify = (client: string): Promise<Answer> => {
  sent += 1
  return ask(servers[sent % servers.length]?.url ?? '', 'POST', '/verify', {
    headers: { 'X-Real-IP': client },
    body: {},
  })
}
/** Sends requests, some at a time: a client may open few connections at once. */
async function together(clients: readonly string[]): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let at = 0; at < clients.length; at += 20)
    answers.push(...(await Promise.all(clients.slice(at, at + 20).map(verify))))
  return answers
}
const repeated = (client: string, count: number) => Array.from({ length: count }, () => client)
const accepted = (answers: readonly Answer[]) =>
  answers.filter(({ status }) => status !== 429 && status < 500).length
const warnings = () =>
  servers.flatMap((server) =>
    server
      .log()
      .flatMap(({ msg }) => (String(msg).startsWith('Redis is unavailable') ? [msg] : [])),
  )
const isAvailableAgain = () =>
  servers.every((server) =>
    server.log().some(({ msg }) => String(msg).startsWith('Redis is available again')),
  )

const stores: [string, () => Record<string, string>][] = [
  ['PostgreSQL', () => ({ AUTH_RATE_LIMIT_STORE: 'postgres' })],
  ...(hasRedis
    ? ([['Redis', () => ({ AUTH_RATE_LIMIT_REDIS_URL: redis.url })]] as [
        string,
        () => Record<string, string>,
      ][])
    : []),
]

describe.each(stores)('in %s', (name, settings) => {
  it('accepts the burst of a client and 8 times that of a /56 in sum, and no request more', async () => {
    await start(settings())
    // The tests share a database, which counts where Redis fails.
    const part = name === 'Redis' ? 7 : 8
    const subnets = Array.from(
      { length: 10 },
      (_, index) => `2001:db8:${part}:${(0x100 + index).toString(16)}::1`,
    )

    const ofOne = await together(repeated(`203.0.113.${part}`, 60))
    const ofSite = await together(subnets.flatMap((one) => repeated(one, 28)))
    const other = await verify('198.51.100.9')

    expect(warnings()).toEqual([])
    expect(accepted(ofOne)).toBe(burst)
    expect(new Set(ofOne.map(({ status }) => status))).toEqual(new Set([400, 429]))
    expect(ofOne.at(-1)?.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(accepted(ofSite)).toBe(8 * burst)
    expect(other.status).toBe(400)
  })
})

describe.skipIf(!hasRedis)('where Redis fails', () => {
  it('counts in PostgreSQL, warns, and counts it; other endpoints respond as always', async () => {
    const port = await freePort()
    await start({ AUTH_RATE_LIMIT_REDIS_URL: redis.url }, 1)
    const metrics = {
      AUTH_METRICS_ENABLED: 'true',
      AUTH_METRICS_EXPORTER: 'prometheus',
      OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
      OTEL_EXPORTER_PROMETHEUS_PORT: String(port),
    }
    const measured = await startServer(database.url, {
      ...environment,
      AUTH_RATE_LIMIT_REDIS_URL: redis.url,
      ...metrics,
    })
    servers.push(measured)
    expect(accepted(await together(repeated('198.51.100.1', 60)))).toBe(burst)

    await redis.kill()
    const during = await together(repeated('198.51.100.1', 100))
    const health = await ask(measured.url, 'GET', '/health')
    const keys = await ask(measured.url, 'GET', '/.well-known/jwks.json')
    const exported = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()

    expect(accepted(during)).toBe(burst)
    expect(new Set(during.map(({ status }) => status))).toEqual(new Set([400, 429]))
    expect([health.status, keys.status]).toEqual([200, 200])
    expect(warnings()).toHaveLength(2)
    expect(exported).toMatch(/^auth_limits_fallbacks_total(\{.*\})? 50/m)

    await redis.restart()
    await expect.poll(isAvailableAgain).toBe(true)
    expect((await verify('198.51.100.2')).status).toBe(400)
    const reader = new Redis(redis.url)
    const stored = await reader.keys('latchkey:limit:*')
    reader.disconnect()
    expect(stored).toHaveLength(2)
  })

  it('returns 503 with Retry-After if PostgreSQL fails too, and limits again afterwards', async () => {
    await start({ AUTH_RATE_LIMIT_REDIS_URL: redis.url })
    expect(accepted(await together(repeated('198.51.100.3', 40)))).toBe(burst)
    await redis.kill()
    await line.stop()

    const without = await together(repeated('198.51.100.3', 20))
    const others = await Promise.all(
      servers.flatMap(({ url }) => [
        ask(url, 'GET', '/health'),
        ask(url, 'GET', '/.well-known/jwks.json'),
        ask(url, 'GET', '/settings'),
      ]),
    )

    for (const { status, body, headers } of without) {
      expect([status, body.error_code]).toEqual([503, 'service_unavailable'])
      expect(headers.get('retry-after')).toMatch(/^\d+$/)
    }
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set([200]))
    await line.resume()
    await expect.poll(async () => (await verify('198.51.100.4')).status).toBe(400)
    await redis.restart()
    await expect.poll(isAvailableAgain).toBe(true)
  })

  it('waits for a Redis that hangs once, and starts while it is down', async () => {
    await redis.kill()
    await start({ AUTH_RATE_LIMIT_REDIS_URL: redis.url })
    expect(accepted(await together(repeated('198.51.100.5', 60)))).toBe(burst)
    await redis.restart()
    await expect.poll(isAvailableAgain).toBe(true)
    redis.freeze()

    await together(repeated('198.51.100.6', 2))
    const later = await together(repeated('198.51.100.6', 58))
    redis.resume()

    // Two of the burst were taken in PostgreSQL, or in both stores.
    expect(accepted(later)).toBe(burst - 2)
  })
})
