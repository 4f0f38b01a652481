import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask } from './support/ask.ts'
import { runCli } from './support/cli-process.ts'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from './support/database.ts'
import { environmentFor, type ServerProcess, startServer } from './support/server-process.ts'
import { type SilentPooler, startSilentPooler } from './support/silent-pooler.ts'
import { runSql } from './support/sql.ts'
import { testPassword } from './support/test-auth.ts'

/** Latchkey manages its own keys where no secret but an encryption key is configured. */
const managed = { AUTH_JWT_SECRET: '', AUTH_ENCRYPTION_KEY: randomBytes(32).toString('base64url') }

describe.each(['directly', 'through a pooler without notifications'])('connected %s', (way) => {
  let database: TestDatabase
  let pooler: SilentPooler
  let servers: ServerProcess[] = []

  beforeAll(async () => {
    database = await createTestDatabase()
    pooler = await startSilentPooler(database.url)
    const url = way === 'directly' ? database.url : pooler.url
    servers = [await startServer(url, managed)]
    servers.push(await startServer(url, managed))
  })
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()))
    await pooler?.close()
    await database?.drop()
  })

  const keys = (...args: string[]) =>
    runCli(['keys', ...args], environmentFor(database.url, managed))
  const published = async (server: ServerProcess): Promise<string[]> => {
    const { body } = await ask(server.url, 'GET', '/.well-known/jwks.json')
    return body.keys.map(({ kid }: { kid: string }) => kid)
  }
  /** Returns the seconds until all processes publish this number of keys. */
  const secondsUntil = async (count: number) => {
    const begunAt = performance.now()
    await expect
      .poll(() => Promise.all(servers.map(async (one) => (await published(one)).length)), {
        interval: 50,
      })
      .toEqual(servers.map(() => count))
    return (performance.now() - begunAt) / 1000
  }

  it('publishes a rotated key, and rejects tokens of a retired one, everywhere within 5 seconds', async () => {
    const [first, second] = servers
    const email = 'ada@example.test'
    const signedUp = await ask(first?.url ?? '', 'POST', '/signup', {
      body: { email, password: testPassword },
    })
    const token = signedUp.body.access_token
    const [old = ''] = await published(first as ServerProcess)
    const user = () => ask(second?.url ?? '', 'GET', '/user', { token })

    await keys('rotate')
    const rotated = await secondsUntil(2)
    // It signs from now on, as after the overlap.
    await runSql(database.url, {
      text: `update auth.signing_keys set signs_from = now() - interval '1 second' where id <> $1`,
      values: [old],
    })
    expect((await user()).status).toBe(200)
    const { code } = await keys('retire', old)
    const retired = await secondsUntil(1)

    expect(code).toBe(0)
    expect(Math.max(rotated, retired)).toBeLessThan(5)
    expect((await user()).body).toMatchObject({ error_code: 'bad_jwt' })
  })

  it.skipIf(way === 'directly')('receives no notification', () => {
    expect(pooler.dropped()).toBeGreaterThan(0)
  })
})

it('migrates once where six processes start at once, which share one signing key', async () => {
  const database = await createEmptyDatabase()
  const servers = await Promise.all(
    Array.from({ length: 6 }, () => startServer(database.url, managed)),
  )

  const migrated = servers.filter((server) =>
    server.log().some(({ msg }) => msg === 'database migrated'),
  )
  const stored = await runSql(database.url, 'select count(*)::int as count from auth.signing_keys')
  const steps = await runSql(
    database.url,
    'select count(*)::int as count, count(distinct name)::int as names from auth.latchkey_migrations',
  )
  await Promise.all(servers.map((server) => server.stop()))
  await database.drop()

  expect(migrated).toHaveLength(1)
  expect(stored).toEqual([{ count: 1 }])
  expect(steps[0]?.['count']).toBe(steps[0]?.['names'])
})
