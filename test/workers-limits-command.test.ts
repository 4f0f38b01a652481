import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { type ServerProcess, startServer } from './support/server-process.ts'
import { openClient, whenReady, workersOf } from './support/worker-processes.ts'

let database: TestDatabase
let server: ServerProcess

const start = (env: Record<string, string> = {}) =>
  startServer(
    database.url,
    {
      AUTH_RATE_LIMIT_HEADER: 'x-client',
      AUTH_EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true',
      AUTH_RATE_LIMIT_ANONYMOUS_USERS: '10',
      AUTH_RATE_LIMIT_TOKEN_REFRESH: '1',
      ...env,
    },
    ['serve', '--workers', '2'],
  )

beforeAll(async () => {
  database = await createTestDatabase()
  server = await start()
})
afterAll(async () => {
  await server?.stop()
  await database?.drop()
})

/** Sends concurrent anonymous sign-ups, each on a new connection, and returns their statuses. */
const signUps = (name: string, count: number) =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const answer = await fetch(`${server.url}/signup`, {
        method: 'POST',
        body: '{}',
        headers: { 'x-client': name, connection: 'close' },
      })
      await answer.text()
      return answer.status
    }),
  )

const allowedOf = (statuses: readonly number[]) => statuses.filter((status) => status === 200)

describe('limits per client', () => {
  it('are those of all workers together', async () => {
    const statuses = await signUps('198.51.100.1', 40)

    expect(allowedOf(statuses)).toHaveLength(10)
    expect(new Set(statuses)).toEqual(new Set([200, 429]))
  })

  it('are kept when workers die', async () => {
    const before = await signUps('198.51.100.2', 6)
    const [dead, other] = workersOf(server)
    process.kill(dead ?? 0, 'SIGKILL')
    await server.printed(/"worker ended"/)
    await whenReady(server.url, 2)
    process.kill(other ?? 0, 'SIGTERM')
    await server.printed(/is replaced"/)
    await whenReady(server.url, 2)
    const after = await signUps('198.51.100.2', 20)

    expect(allowedOf([...before, ...after])).toHaveLength(10)
  })

  it('are never exceeded while the first process does not respond: 503 with Retry-After', async () => {
    const client = openClient(server.url)
    const path = '/authorize?provider=github'
    const headers = { 'x-client': '198.51.100.3' }
    await client.get('/health')
    server.signal('SIGSTOP')
    try {
      const limited = await client.get(path, headers)
      const others = await client.get('/health')

      expect([limited.status, JSON.parse(limited.body).error_code]).toEqual([
        503,
        'service_unavailable',
      ])
      expect(limited.retryAfter).toBe('1')
      expect(others.status).toBe(200)
    } finally {
      server.signal('SIGCONT')
    }
    expect((await client.get(path, headers)).status).not.toBe(503)
    client.close()
  })
})
