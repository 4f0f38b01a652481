import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { loadEnvironment } from './support/fault-load.ts'
import {
  hasPgBouncer,
  keepsStatements,
  type PgBouncer,
  pgBouncerVersion,
  startPgBouncer,
} from './support/pgbouncer.ts'
import { startRetryingLoad } from './support/retrying-load.ts'
import { type ServerProcess, startServer } from './support/server-process.ts'
import { runSql } from './support/sql.ts'

if (!hasPgBouncer) console.warn('NOT RUN: PgBouncer, which is not installed')
else if (!keepsStatements) {
  console.warn(`NOT RUN: prepared statements of PgBouncer 1.21, but ${pgBouncerVersion}`)
}

const modes = keepsStatements ? ['false', 'true'] : ['false']

describe.skipIf(!hasPgBouncer).each(modes)(
  `PgBouncer ${pgBouncerVersion} in transaction mode, with AUTH_DB_PREPARED_STATEMENTS=%s`,
  (prepared) => {
    let database: TestDatabase
    let pooler: PgBouncer
    let server: ServerProcess

    beforeAll(async () => {
      database = await createTestDatabase()
      pooler = await startPgBouncer(database.url, 4)
      server = await startServer(pooler.url, {
        ...loadEnvironment,
        AUTH_DB_PREPARED_STATEMENTS: prepared,
        AUTH_DATABASE_LISTEN_URL: database.url,
      })
    })
    afterAll(async () => {
      const ending = await server?.stop()
      await pooler?.stop()
      await database?.drop()
      expect(ending?.code).toBe(0)
    })

    it('serves every request while it works', async () => {
      const load = await startRetryingLoad(server.url)
      await sleep(1_500)
      const { problems, statuses } = await load.end()

      expect(problems).toEqual([])
      expect(statuses[200]).toBeGreaterThan(10)
      expect(statuses[503]).toBeUndefined()
    })

    it('loses no write and no session when it is killed, and is used again without a restart', async () => {
      const load = await startRetryingLoad(server.url)
      for (let times = 0; times < 3; times += 1) {
        await sleep(300)
        await pooler.halt()
        await sleep(1_000)
        await pooler.resume()
        await load.recovered(10_000)
      }
      const { problems, statuses, emails } = await load.end()
      const stored = await runSql(database.url, 'select email from auth.users')
      const known = new Set(stored.map(({ email }) => email))

      expect(problems).toEqual([])
      expect((statuses[503] ?? 0) + (statuses[504] ?? 0)).toBeGreaterThan(0)
      expect(emails.filter((email) => !known.has(email))).toEqual([])
    })
  },
)
