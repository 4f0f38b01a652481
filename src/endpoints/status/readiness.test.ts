import { randomBytes } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { runText } from '../../../test/support/statements.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { writeFault } from '../../service/persistence/open-database.ts'
import { createReadinessCheck } from './check-readiness.ts'

let auth: TestAuth
afterEach(() => auth.close())

const encryptionKey = 'an encryption key for tests of 32 bytes'

describe('GET /ready', () => {
  it('succeeds once database, schema and keys are ready, and is not cached', async () => {
    auth = await startTestAuth({ jwt: {}, encryptionKey })

    const { status, body, headers } = await auth.get('/ready')

    const connections = { open: expect.any(Number), ceiling: 10 }
    expect([status, body]).toEqual([
      200,
      { database: 'ok', migrations: 'ok', keys: 'ok', connections, replica: null, workers: null },
    ])
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('names a pending step of the schema', async () => {
    auth = await startTestAuth()
    await auth.auth.ready()
    await auth.rows('delete from auth.latchkey_migrations')

    const { status, body, headers } = await auth.get('/ready')

    expect([status, body.error_code, body.msg]).toEqual([
      503,
      'service_unavailable',
      'Not ready: migrations',
    ])
    expect(headers.get('retry-after')).toBe('1')
    expect((await auth.get('/health')).status).toBe(200)
  })

  it('names keys that this instance cannot read', async () => {
    auth = await startTestAuth({ jwt: {}, encryptionKey })
    await auth.auth.ready()
    await auth.rows(`update auth.signing_keys set private_jwk = 'under another key'`)

    expect((await auth.get('/ready')).body.msg).toBe('Not ready: keys')
  })

  it('S29 names a database that is read-only, or a user who may not write', async () => {
    auth = await startTestAuth()
    const { database, keys, logger } = await auth.deps()
    const user = `reader_${randomBytes(6).toString('hex')}`
    const fault = () => database.writeFault()
    const check = () => createReadinessCheck({ database, keys, logger })()
    expect([await fault(), await check()]).toEqual([null, null])

    const readOnly = {
      ...database,
      writeFault: () =>
        database.transaction(async ({ sql }) => {
          await runText(sql, 'set transaction read only')
          return writeFault(sql, { schema: 'auth', namespace: '' })
        }),
    }
    expect(await readOnly.writeFault()).toBe('the database is read-only')
    expect(await createReadinessCheck({ database: readOnly, keys, logger })()).toBe('database')

    await auth.rows(`create role ${user}`)
    try {
      await auth.rows(`grant usage on schema auth to ${user}`)
      const limited = await database.transaction(async ({ sql }) => {
        await runText(sql, `set local role ${user}`)
        return writeFault(sql, { schema: 'auth', namespace: '' })
      })
      expect(limited).toMatch(/^the database user may not write to \w+ and \d+ other tables$/)
    } finally {
      await auth.rows(`drop owned by ${user}`)
      await auth.rows(`drop role ${user}`)
    }
  })

  it('queries the database once for all requests within a second', async () => {
    auth = await startTestAuth()
    const deps = await auth.deps()
    let requested = 0
    const check = createReadinessCheck({
      ...deps,
      database: {
        ...deps.database,
        pendingMigrations: () => {
          requested++
          return deps.database.pendingMigrations()
        },
      },
    })

    await Promise.all(Array.from({ length: 50 }, check))
    await check()

    expect(requested).toBe(1)
  })

  it('reports a database that does not respond, within seconds', { timeout: 10_000 }, async () => {
    auth = await startTestAuth()
    const { database, keys, logger } = await auth.deps()
    const silent = { ...database, pendingMigrations: () => new Promise<never>(() => {}) }

    expect(await createReadinessCheck({ database: silent, keys, logger })()).toBe('database')
  })
})
