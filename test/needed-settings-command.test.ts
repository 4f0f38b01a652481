import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli } from './support/cli-process.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { environmentFor } from './support/server-process.ts'
import { runSql } from './support/sql.ts'
import { testSecret } from './support/test-auth.ts'

// Commands with the settings that they use, and no other.

let database: TestDatabase
/** A folder without settings: other tests run `latchkey dev` in the default one. */
let cwd: string

beforeAll(async () => {
  database = await createTestDatabase()
  cwd = await mkdtemp(join(tmpdir(), 'latchkey-needed-'))
  const names = ['ada', 'grace', 'mary']
  for (const name of names) {
    const args = ['admin', 'create-user', `${name}@example.test`]
    const { code, output } = await runCli(args, environmentFor(database.url))
    expect(code, output).toBe(0)
  }
})
afterAll(async () => {
  await database?.drop()
  await rm(cwd, { recursive: true, force: true })
})

const latchkey = (command: string, env: Record<string, string> = {}) =>
  runCli(command.split(' '), { cwd, env: { AUTH_DATABASE_URL: database.url, ...env } })

const stored = async () =>
  runSql(
    database.url,
    `select (select count(*) from auth.signing_keys) as keys,
       (select count(*) from auth.audit_entries) as entries`,
  )

describe('with a database and no other setting', () => {
  it.each([
    ['admin list', 'ada@example.test'],
    ['admin audit --about ada@example.test', 'ada@example.test'],
    ['why 0b5f6c1e-6a55-4d0e-9f0c-3a52d3b3a9d1', 'No decision is stored'],
    ['migrate', 'up to date'],
    ['migrate status', 'applied '],
    ['migrate plan', ''],
  ])('latchkey %s succeeds and stores nothing', async (command, expected) => {
    const before = await stored()
    const { code, output } = await latchkey(command)

    expect(code, output).toBe(0)
    expect(output).toContain(expected)
    expect(await stored()).toEqual(before)
  })

  it.each(['keys list', 'keys', 'outbox list', 'outbox'])(
    'latchkey %s requires a root key besides, and no other setting',
    async (command) => {
      const without = await latchkey(command)
      const withKey = await latchkey(command, { AUTH_JWT_SECRET: testSecret })

      expect([without.code, without.output]).toEqual([
        1,
        expect.stringMatching(/^ *AUTH_(JWT_SECRET|ENCRYPTION_KEY) is required/m),
      ])
      expect(without.output).not.toMatch(/AUTH_(SITE_URL|API_EXTERNAL_URL|SMTP_HOST) is required/)
      expect(withKey.code, withKey.output).toBe(0)
    },
  )

  it('N03: latchkey lists succeeds', async () => {
    const enabled = { AUTH_SUBSCRIBE_PAGES_ENABLED: 'true' }
    const created = await latchkey('lists create News', enabled)
    const listed = await latchkey('lists list', enabled)

    expect([created.code, created.output]).toEqual([0, expect.stringContaining('News')])
    expect([listed.code, listed.output]).toEqual([0, created.output])
  })

  it('N03: latchkey import users succeeds', async () => {
    const file = join(cwd, 'users.jsonl')
    await writeFile(file, '{"email":"moved@example.test"}\n')
    const imported = await latchkey(`import users ${file}`)
    const listed = await latchkey('admin list')

    expect([imported.code, imported.output]).toEqual([0, expect.stringMatching(/^imported\t1$/m)])
    expect(listed.output).toContain('moved@example.test')
  })

  it('N03: latchkey import gotrue requires a root key besides, and no other setting', async () => {
    const without = await latchkey(`import gotrue ${database.url}`)
    const withKey = await latchkey(`import gotrue ${database.url}`, { AUTH_JWT_SECRET: testSecret })

    expect([without.code, without.output]).toEqual([
      1,
      expect.stringContaining('AUTH_JWT_SECRET is required'),
    ])
    expect(without.output).not.toMatch(/AUTH_(SITE_URL|API_EXTERNAL_URL|SMTP_HOST) is required/)
    // The database of this test is not one of GoTrue.
    expect(withKey.output).toMatch(/source/i)
    expect(withKey.output).not.toContain('is required')
  })

  it('a cursor leads to the next page', async () => {
    const first = await latchkey('admin list --limit 2 --json')
    const { users, nextCursor } = JSON.parse(first.output)
    const second = await latchkey(`admin list --limit 2 --json --cursor ${nextCursor}`)
    const others = JSON.parse(second.output).users

    const emails = [...users, ...others].map(({ email }) => email)
    expect(users).toHaveLength(2)
    expect(new Set(emails).size).toBe(emails.length)
    expect(emails).toEqual(
      expect.arrayContaining(['ada@example.test', 'grace@example.test', 'mary@example.test']),
    )
  })

  it.each(['admin create-user eve@example.test', 'admin ban ada@example.test', 'admin token'])(
    'latchkey %s requires the settings of the service',
    async (command) => {
      const { code, output } = await latchkey(command)

      expect(code).toBe(1)
      expect(output).toContain('AUTH_JWT_SECRET is required')
    },
  )
})

it('latchkey keys requires the key that seals generated keys', async () => {
  const keys = { AUTH_JWT_SECRET: '', AUTH_ENCRYPTION_KEY: '' }
  const { code, output } = await latchkey('keys list', keys)

  expect(code).toBe(1)
  expect(output).toContain('AUTH_ENCRYPTION_KEY is required: the secret that seals')
  expect(output).not.toContain('AUTH_JWT_SECRET is required')
})

describe('without a database', () => {
  it.each(['admin list', 'why x', 'migrate'])(
    'latchkey %s requires the database alone',
    async (command) => {
      const { code, output } = await latchkey(command, { AUTH_DATABASE_URL: '' })

      expect(code).toBe(1)
      expect(output).toContain('AUTH_DATABASE_URL is required')
      expect(output).not.toMatch(
        /AUTH_(SITE_URL|API_EXTERNAL_URL|JWT_SECRET|SMTP_HOST) is required/,
      )
    },
  )
})

it('an invalid value of another setting is rejected', async () => {
  const { code, output } = await latchkey('admin list', { AUTH_API_PORT: 'many' })

  expect(code).toBe(1)
  expect(output).toContain('AUTH_API_PORT')
})
