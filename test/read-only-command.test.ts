import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli } from './support/cli-process.ts'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from './support/database.ts'
import { environmentFor } from './support/server-process.ts'
import { runSql } from './support/sql.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createEmptyDatabase()
})
afterAll(() => database?.drop())

const commands = [
  'import users - --format jsonl --dry-run',
  'import gotrue --dry-run',
  'clients list',
  'providers list',
  'lists list',
  'admin list',
  'why 6a2f41a3-c54c-4f7a-9d0c-3a2bb5b7c1aa',
]

const run = (command: string) =>
  runCli(command.split(' '), {
    ...environmentFor(database.url, {
      AUTH_SUBSCRIBE_PAGES_ENABLED: 'true',
      GOTRUE_DB_DATABASE_URL: database.url,
    }),
    input: '{"email":"ada@example.test"}\n',
  })

const oauth = { AUTH_OAUTH_SERVER_ENABLED: 'true' }

describe('a command that stores nothing', () => {
  it.each(commands)(
    'migrates no empty database, and names the command that does: %s',
    async (command) => {
      const { code, output } = await run(command)

      expect([code, output]).toEqual([1, expect.stringContaining('`latchkey migrate`')])
      expect(output).not.toContain('    at ')
      expect(await runSql(database.url, "select from pg_namespace where nspname = 'auth'")).toEqual(
        [],
      )
    },
  )

  it('reports a schema that `latchkey migrate` would reject', async () => {
    const foreign = await createEmptyDatabase()
    try {
      await runSql(foreign.url, 'create schema auth; create table auth.users (id int)')

      const { code, output } = await runCli(
        ['import', 'users', '-', '--format', 'jsonl', '--dry-run'],
        {
          ...environmentFor(foreign.url),
          input: '',
        },
      )

      expect([code, output]).toEqual([1, expect.stringContaining("are not Latchkey's (users)")])
    } finally {
      await foreign.drop()
    }
  })

  it('lists the empty contents of a migrated database', async () => {
    const migrated = await createTestDatabase()
    try {
      for (const name of ['clients', 'providers']) {
        const { code, output } = await runCli([name, 'list'], environmentFor(migrated.url, oauth))
        expect([code, output]).toEqual([0, ''])
      }
    } finally {
      await migrated.drop()
    }
  })
})
