import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAuth } from '../src/index.ts'
import { extractRoots } from '../src/platform/kit/derived-keys.ts'
import { keyIdOf, seal, unseal } from '../src/platform/kit/sealed-box.ts'
import { silentLogger } from '../src/platform/observability/logger.ts'
import type { SealedColumn } from '../src/platform/sql/sealed-column.ts'
import { countSealedRows, sealedColumns } from '../src/service/sealed-rows.ts'
import { resealRows } from '../src/standalone/root-keys/reseal-rows.ts'
import { storeSealedRows } from './support/sealed-rows.ts'
import { startTestAuth, type TestAuth } from './support/test-auth.ts'

// S20: `latchkey keys reseal` and the counts of `keys list`. For the command line see
// root-keys-command.test.ts.

const oldKey = 'an old encryption key of thirty-two bytes'
const newKey = 'a new encryption key of thirty-two bytes'
const lostKey = 'a lost encryption key of thirty-two bytes'
const both = extractRoots(newKey, oldKey)
const alone = extractRoots(newKey)

let auth: TestAuth

beforeAll(async () => {
  auth = await startTestAuth()
})
afterAll(() => auth.close())
beforeEach(async () => {
  for (const { table } of sealedColumns) await auth.rows(`delete from auth.${table}`)
})

const sql = async () => (await auth.deps()).database.sql

/** Returns the values of a column, opened with the new key only. */
async function opened({ table, column, id, boxOf }: SealedColumn): Promise<string[]> {
  const rows = await auth.rows<{ id: string; sealed: string }>(
    `select ${id} as id, ${column} as sealed from auth.${table} order by ${id}`,
  )
  return rows.map((row) => unseal(alone, boxOf?.(row.id) ?? '', row.sealed))
}

const resealable = sealedColumns.filter(({ boxOf }) => boxOf !== null)

describe('S20: keys reseal', () => {
  it('seals every column with the current key, so that the former one can be removed', async () => {
    await storeSealedRows(auth.rows, extractRoots(oldKey), 3)

    const resealed = await resealRows(await sql(), both)

    expect(resealed).toMatchObject({ busy: 0, failures: {} })
    for (const column of resealable) {
      expect(resealed.counts[column.name]).toBe(3)
      expect(new Set(await opened(column))).toEqual(new Set([`text of ${column.name}`]))
    }
    const uses = await countSealedRows(await sql(), both)
    // The encryption context of a code contains the code. It is not resealed, and expires.
    expect(uses).toEqual([
      expect.objectContaining({ keyId: keyIdOf(newKey), state: 'current', total: 21 }),
      {
        keyId: keyIdOf(oldKey),
        state: 'former',
        counts: { 'authorization codes': 3 },
        total: 3,
      },
    ])
  })

  it('covers every file that seals', () => {
    const src = join(import.meta.dirname, '../src')
    const sealing = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .filter((file) => /\bseal\(/.test(readFileSync(join(src, file), 'utf8')))

    // Another file here means another column in `sealedColumns`.
    expect(sealing.toSorted()).toEqual([
      'accounts/factors/factor-secret.ts',
      'accounts/one-time-tokens/authorization-code.ts',
      'accounts/users/provider-token.ts',
      'capabilities/custom-providers/manage-custom-providers.ts',
      // A cookie, which expires.
      'capabilities/pages/pre-session.ts',
      'capabilities/pages/routes/totp-enrollment.ts',
      'credentials/access-tokens/managed-key-rows.ts',
      'delivery/outbox/outbox-row.ts',
      'endpoints/external-sign-in/link-confirmation.ts',
      'platform/kit/sealed-box.ts',
    ])
  })

  it('continues where it was interrupted, and does not repeat completed work', async () => {
    await storeSealedRows(auth.rows, extractRoots(oldKey), 5)
    const [factors] = sealedColumns
    await auth.rows(
      `update auth.factors set secret = 'v2.' || $1 where id = (select min(id::text)::uuid from auth.factors)`,
      [`${keyIdOf(newKey)}.done`],
    )

    const first = await resealRows(await sql(), both, { batchSize: 2 })
    const again = await resealRows(await sql(), both, { batchSize: 2 })

    expect(first.counts[factors?.name ?? '']).toBe(4)
    expect(Object.values(again.counts)).toEqual(resealable.map(() => 0))
  })

  it('replaces no value that was written meanwhile, and may run twice at once', async () => {
    await storeSealedRows(auth.rows, extractRoots(oldKey), 300)
    const box = sealedColumns[0]?.boxOf ?? String
    const ids = await auth.rows<{ id: string }>('select id from auth.factors order by id')
    const live = ids.filter((_, index) => index % 5 === 0)
    const write = async () => {
      for (const { id } of live) {
        const secret = seal(both, box(id), 'written meanwhile')
        await auth.rows('update auth.factors set secret = $2 where id = $1', [id, secret])
      }
    }

    const queryable = await sql()
    const [one, other] = await Promise.all([
      resealRows(queryable, both, { batchSize: 20 }),
      resealRows(queryable, both, { batchSize: 20 }),
      write(),
    ])

    const texts = await opened(sealedColumns[0] as SealedColumn)
    expect(texts.filter((text) => text === 'written meanwhile')).toHaveLength(live.length)
    expect(texts).toHaveLength(300)
    expect([one.busy, other.busy, one.failures, other.failures]).toEqual([0, 0, {}, {}])
  })

  it('does not change a refresh token during its renewal', async () => {
    await storeSealedRows(auth.rows, extractRoots(oldKey), 1)
    await auth.rows(
      `update auth.provider_tokens set renewing_until = now() + interval '30 seconds'`,
    )
    const columns = sealedColumns.filter(({ table }) => table === 'provider_tokens')
    const resealed = await resealRows(await sql(), both, { columns, pauseMs: 0 })

    expect(resealed).toMatchObject({ busy: 1, counts: { 'provider access tokens': 1 } })
    const [row] = await auth.rows('select sealed_refresh_token as token from auth.provider_tokens')
    expect(row?.['token']).toContain(keyIdOf(oldKey))
  })

  it('does not wait for a row that another transaction has locked', async () => {
    await storeSealedRows(auth.rows, extractRoots(oldKey), 2)
    const deps = await auth.deps()
    const columns = sealedColumns.slice(0, 1)

    await deps.database.transaction(async (tx) => {
      await tx.sql.query(
        {
          name: 'hold',
          unprepared: 'a test',
          text: (tables) => `select id from ${tables.table('factors')} limit 1 for update`,
        },
        {},
      )
      const resealed = await resealRows(deps.database.sql, both, { columns, pauseMs: 0 })
      expect(resealed).toMatchObject({ busy: 1, counts: { factors: 1 } })
    })
    const rest = await resealRows(deps.database.sql, both, { columns })

    expect(rest).toMatchObject({ busy: 0, counts: { factors: 1 } })
  })

  it('reports missing keys, and reseals the other values', async () => {
    await storeSealedRows(auth.rows, extractRoots(lostKey), 2)
    const columns = sealedColumns.slice(0, 1)

    const resealed = await resealRows(await sql(), both, { columns })

    expect(resealed.counts).toEqual({ factors: 0 })
    expect(Object.entries(resealed.failures)).toEqual([
      [expect.stringContaining(`root key ${keyIdOf(lostKey)}, which is not configured`), 2],
    ])
    const uses = await countSealedRows(await sql(), both)
    expect(uses.find(({ keyId }) => keyId === keyIdOf(lostKey))).toMatchObject({ state: 'missing' })
  })

  it('counts values without a key id, and none that are unusable', async () => {
    await storeSealedRows(auth.rows, extractRoots(oldKey), 1)
    await auth.rows(`update auth.signing_keys set retired_at = now()`)
    await auth.rows(`update auth.oauth_states set expires_at = now()`)
    await auth.rows(`update auth.outbox_messages set body = 'v1.AAAA'`)

    const uses = await countSealedRows(await sql(), both)

    expect(uses.map(({ state, counts }) => [state, Object.keys(counts)])).toEqual([
      ['current', []],
      [
        'former',
        [
          'factors',
          'provider access tokens',
          'provider refresh tokens',
          'authorization codes',
          'secrets of custom providers',
        ],
      ],
      ['unnamed', ['messages']],
    ])
  })
})

describe('a development folder with a root key of its own', () => {
  let folder: string
  const former = process.cwd()
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-folder-'))
    process.chdir(folder)
  })
  afterEach(async () => {
    process.chdir(former)
    await rm(folder, { recursive: true, force: true })
  })

  /** Starts a service of the folder on the shared database, and returns its warnings. */
  async function warningsOfStart(): Promise<string[]> {
    const warnings: string[] = []
    const logger = { ...silentLogger, warn: (_: object, text: string) => warnings.push(text) }
    const database = auth.databaseUrl
    const service = createAuth({
      development: true,
      siteUrl: 'http://127.0.0.1:3000',
      database,
      logger,
    })
    await service.ready()
    await service.close()
    return warnings.filter((text) => text.includes('root key'))
  }

  it('does not start on encrypted signing keys, and names the setting', async () => {
    await storeSealedRows(auth.rows, extractRoots(lostKey), 1)

    await expect(warningsOfStart()).rejects.toThrow(
      'encryptionKey is required: the signing keys of this database are encrypted',
    )
  })

  it('is reported at start where the database contains values of another folder', async () => {
    const none = await warningsOfStart()
    await storeSealedRows(auth.rows, extractRoots(lostKey), 1)
    await auth.rows('delete from auth.signing_keys')

    expect(none).toEqual([])
    expect(await warningsOfStart()).toEqual([
      expect.stringContaining('another root key than that of .latchkey/root-key in this folder'),
    ])
  })
})
