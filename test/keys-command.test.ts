import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCli } from './support/cli-process.ts'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from './support/database.ts'
import { environmentFor, type ServerProcess, startServer } from './support/server-process.ts'
import { runSql } from './support/sql.ts'

/** Latchkey manages its own keys where no secret but an encryption key is configured. */
const managed = { AUTH_JWT_SECRET: '', AUTH_ENCRYPTION_KEY: randomBytes(32).toString('base64url') }

let database: TestDatabase
let server: ServerProcess

beforeAll(async () => {
  database = await createTestDatabase()
  server = await startServer(database.url, managed)
})
afterAll(async () => {
  await server?.stop()
  await database?.drop()
})

const keys = (...args: string[]) => runCli(['keys', ...args], environmentFor(database.url, managed))

/** Returns id and state of each key in the output of `latchkey keys`. */
const readKeys = (output: string) =>
  output
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('root key '))
    .map((line) => line.split(/\s+/))
    .map(([id, , state]) => ({ id, state }))

async function publishedIds(): Promise<string[]> {
  const answer = await fetch(`${server.url}/.well-known/jwks.json`)
  const body = (await answer.json()) as { keys: { kid: string }[] }
  return body.keys.map(({ kid }) => kid)
}

it('lists the key that the server signs with', async () => {
  const { code, output } = await keys('list')

  expect(code).toBe(0)
  expect(readKeys(output)).toEqual([{ id: (await publishedIds())[0], state: 'signs' }])
})

it('does not retire the only key that signs', async () => {
  const [signing] = readKeys((await keys('list')).output)

  const { code, output } = await keys('retire', String(signing?.id))

  expect(code).toBe(1)
  expect(output).toMatch(/^keys retire: no other key signs yet\..*\n$/)
  expect(readKeys((await keys()).output)).toEqual([signing])
})

it('publishes a new key, and retires it', async () => {
  const rotated = await keys('rotate')
  const next = readKeys(rotated.output).find(({ state }) => state === 'published')
  const retired = await keys('retire', String(next?.id))

  expect([rotated.code, retired.code]).toEqual([0, 0])
  expect(
    readKeys(rotated.output)
      .map(({ state }) => state)
      .sort(),
  ).toEqual(['published', 'signs'])
  expect(readKeys(retired.output)).toContainEqual({ id: next?.id, state: 'retired' })
  const entries = await runSql(
    database.url,
    'select action, actor_role, traits from auth.audit_entries where action in (61, 65) order by id',
  )
  expect(entries).toEqual([
    { action: 61, actor_role: 'cli', traits: null },
    { action: 65, actor_role: 'cli', traits: { key_id: next?.id } },
  ])
})

it('is applied by the server at once', async () => {
  const rotated = await keys('rotate')
  const next = readKeys(rotated.output).find(({ state }) => state === 'published')

  // The server reloads by itself only every 30 seconds.
  await expect.poll(publishedIds, { timeout: 5_000 }).toContain(next?.id)
  await keys('retire', String(next?.id))
  await expect.poll(publishedIds, { timeout: 5_000 }).not.toContain(next?.id)
})

it.each([
  [['retire'], 'which key?'],
  [['burn'], 'unknown: keys burn'],
])('prints the usage for %j', async (args, message) => {
  const { code, output } = await keys(...args)

  expect(code).toBe(2)
  expect(output).toContain(message)
})

it('exits with 1 for an unknown key', async () => {
  const output = 'keys retire: no such key: no-such-key\n'

  expect(await keys('retire', 'no-such-key')).toMatchObject({ code: 1, output })
})

it('prints a message where no table exists yet', async () => {
  const empty = await createEmptyDatabase()

  const { code, output } = await runCli(['keys', 'list'], environmentFor(empty.url, managed))

  expect([code, output]).toEqual([
    1,
    expect.stringMatching(
      /^Latchkey's tables do not exist: create them with `latchkey migrate`.*\n$/m,
    ),
  ])
  expect(output).not.toMatch(/^ +at /m)
  await empty.drop()
})

it('creates a first key that signs at once', async () => {
  const fresh = await createTestDatabase()
  const environment = environmentFor(fresh.url, managed)

  const { output } = await runCli(['keys', 'rotate'], environment)

  expect(readKeys(output)).toMatchObject([{ state: 'signs' }])
  const doctor = await runCli(['doctor'], environment)
  expect(doctor.output).toContain('the current key has signed for 0 days')
  await fresh.drop()
})
