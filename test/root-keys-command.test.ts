import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { auditActions } from '../src/accounts/audit/actions.ts'
import { extractRoots } from '../src/platform/kit/derived-keys.ts'
import { keyIdOf } from '../src/platform/kit/sealed-box.ts'
import { runCli, spawnCli } from './support/cli-process.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { storeSealedRows } from './support/sealed-rows.ts'
import { environmentFor, startServer } from './support/server-process.ts'
import { runSql } from './support/sql.ts'
import { waitFor } from './support/wait-for.ts'

// S20: retiring a root key from the command line. For the resealed values see root-keys.test.ts.

const oldKey = 'an old encryption key of thirty-two bytes'
const newKey = 'a new encryption key of thirty-two bytes'
const [oldId, newId] = [keyIdOf(oldKey), keyIdOf(newKey)]

let database: TestDatabase

beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(() => database.drop())

const run = (text: string, values: unknown[] = []) => runSql(database.url, { text, values })
const withKeys = (...keys: string[]) => ({
  AUTH_JWT_SECRET: '',
  AUTH_ENCRYPTION_KEY: keys.join(),
})
const latchkey = (keys: string[], ...args: string[]) =>
  runCli(args, environmentFor(database.url, withKeys(...keys)))

/** Codes expire, and their values cannot be resealed. */
const store = async (count: number) => {
  await storeSealedRows(run, extractRoots(oldKey), count)
  await run('delete from auth.authorization_codes')
}

const valuesOf = async (keyId: string): Promise<number> => {
  const [row] = await run(
    `select count(*)::int as count from auth.factors where secret like 'v2.' || $1 || '.%'`,
    [keyId],
  )
  return Number(row?.['count'])
}

describe('S20: a root key', () => {
  it('is retired: listed with its values, resealed and removed', async () => {
    await store(2)

    const before = await latchkey([newKey, oldKey], 'keys', 'list')
    const doctored = await latchkey([newKey, oldKey], 'doctor')
    const resealed = await latchkey([newKey, oldKey], 'keys', 'reseal')
    const after = await latchkey([newKey], 'keys', 'list')
    const healthy = await latchkey([newKey], 'doctor')

    expect(before.output).toMatch(
      new RegExp(`^root key ${newId} {2}current {2}seals nothing$`, 'm'),
    )
    expect(before.output).toMatch(
      new RegExp(
        `^root key ${oldId} {2}former {3}seals factors 2, provider access tokens 2, `,
        'm',
      ),
    )
    expect(doctored.output).toMatch(
      new RegExp(
        `^warning: root keys: ${oldId} still seals .*\n {2}remedy: latchkey keys reseal`,
        'm',
      ),
    )
    expect(resealed.code).toBe(0)
    expect(resealed.output).toMatch(/^sealed with the current key: factors 2, .*messages 2/m)
    expect(resealed.output).toMatch(
      new RegExp(`^root key ${oldId} {2}former {3}seals nothing$`, 'm'),
    )
    expect(after.output).not.toContain(oldId)
    expect(healthy.output).toMatch(new RegExp(`^root keys: ${newId}, the current one: seals`, 'm'))
  })

  it('that is missing is reported at start, by doctor and by reseal', async () => {
    await store(2)
    await run('delete from auth.signing_keys')

    const listed = await latchkey([newKey], 'keys', 'list')
    const doctored = await latchkey([newKey], 'doctor')
    const resealed = await latchkey([newKey], 'keys', 'reseal')
    const server = await startServer(database.url, withKeys(newKey))
    await server.printed(/not configured/)
    const warning = server.log().find(({ root_key }) => root_key === oldId)
    await server.stop()

    expect(listed.output).toMatch(
      new RegExp(`^root key ${oldId} {2}missing {2}seals factors 2`, 'm'),
    )
    expect(doctored.code).toBe(1)
    expect(doctored.output).toMatch(
      new RegExp(
        `^problem: root keys: ${oldId} is not configured.*\n {2}remedy: add this key`,
        'm',
      ),
    )
    expect(resealed.code).toBe(1)
    expect(resealed.output).toMatch(
      new RegExp(`^not opened: 2 × factors: .* root key ${oldId}, which is not configured`, 'm'),
    )
    expect(warning).toMatchObject({
      sealed: { factors: 2, messages: 2 },
      msg: expect.stringContaining('latchkey keys reseal'),
    })
    expect(await valuesOf(oldId)).toBe(2)
  })

  it('that sealed the signing keys and is missing ends a start with its message', async () => {
    const server = await startServer(database.url, withKeys(oldKey))
    await server.stop()
    expect((await latchkey([newKey, oldKey], 'keys', 'reseal')).code).toBe(0)

    const { code, output } = await latchkey([oldKey], 'serve')

    expect(code).toBe(1)
    expect(output).toMatch(
      new RegExp(`^a stored value is sealed with root key ${newId}, which .*$`, 'm'),
    )
    expect(output).not.toMatch(/^ +at /m)
  })

  it('is retired after a run that was killed', async () => {
    const total = 5_000
    await store(total)

    const env = environmentFor(database.url, withKeys(newKey, oldKey))
    const killed = spawnCli(['keys', 'reseal'], env)
    await waitFor(async () => expect(await valuesOf(newId)).toBeGreaterThan(0))
    killed.signal('SIGKILL')
    await killed.ended
    const action = auditActions.root_keys_resealed.number
    const recorded = await run('select 1 from auth.audit_entries where action = $1', [action])
    expect(recorded, 'S86: recorded before the work').toHaveLength(1)
    // The server may still complete the running statement: both are counted at one moment.
    const [whole] = await run(
      `select count(*)::int as count from auth.factors
        where secret like 'v2.' || $1 || '.%' or secret like 'v2.' || $2 || '.%'`,
      [oldId, newId],
    )
    expect(whole).toEqual({ count: total })

    const { code, output } = await latchkey([newKey, oldKey], 'keys', 'reseal')

    expect(code).toBe(0)
    expect(await valuesOf(newId)).toBe(total)
    expect(output).toMatch(/^sealed with the current key: /m)
    expect(output).toMatch(new RegExp(`^root key ${oldId} {2}former {3}seals nothing$`, 'm'))
  })
})
