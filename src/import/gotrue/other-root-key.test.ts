import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TestDatabase } from '../../../test/support/database.ts'
import { importFrom } from '../../../test/support/gotrue/import-from.ts'
import { createSourceDatabase } from '../../../test/support/gotrue/source-database.ts'
import { startTestAuth, type TestAuth, testSecret } from '../../../test/support/test-auth.ts'
import { openFactorSecret } from '../../accounts/factors/factor-secret.ts'
import { extractRoots } from '../../platform/kit/derived-keys.ts'
import { keyIdOf } from '../../platform/kit/sealed-box.ts'
import { silentLogger } from '../../platform/observability/logger.ts'
import { warnOfMissingKeys } from '../../service/sealed-rows.ts'

let source: TestDatabase
let auth: TestAuth

beforeEach(async () => {
  source = await createSourceDatabase('layout.sql', 'people.sql')
  auth = await startTestAuth()
})
afterEach(async () => {
  await auth?.close()
  await source?.drop()
})

const miasFactor = 'f0000000-0000-4000-8000-000000000013'
const miasSecret = 'KRUGKIDROVUWG2ZAMJZG653OEBTG66BA'

/** Runs the import with another root key than that of the service. */
const importWithOtherKey = () =>
  importFrom(source.url, {
    deps: async () => ({ ...(await auth.deps()), roots: extractRoots('another root secret') }),
  })

const readableSecrets = async () => {
  const { roots } = await auth.deps()
  const rows = await auth.rows<{ id: string; secret: string }>(
    'select id, secret from auth.factors where secret is not null order by id',
  )
  return Object.fromEntries(
    rows.map(({ id, secret }) => {
      try {
        return [id, openFactorSecret(roots, id, secret)]
      } catch {
        return [id, null]
      }
    }),
  )
}

it('seals factors again that an import with another root key stored, of changed users, too', async () => {
  await importWithOtherKey()
  const before = await readableSecrets()
  const { user_id } = (
    await auth.rows<{ user_id: string }>('select user_id from auth.factors where id = $1', [
      miasFactor,
    ])
  )[0] ?? { user_id: '' }
  await auth.auth.admin.updateUser(user_id, { role: 'staff' })

  const repeated = await importFrom(source.url, auth)

  const after = await readableSecrets()
  expect(Object.values(before)).toEqual(Object.values(before).map(() => null))
  expect(repeated.users.changedHere).toBe(1)
  expect(repeated.factors).toMatchObject({ added: 0, resealed: Object.keys(before).length })
  expect(after[miasFactor]).toBe(miasSecret)
  expect(Object.values(after)).not.toContain(null)
  expect((await importFrom(source.url, auth)).factors.resealed).toBe(0)
})

it('replaces no secret of a factor that was enrolled here', async () => {
  await importWithOtherKey()
  await auth.rows('delete from auth.imported_factors where id = $1', [miasFactor])

  await importFrom(source.url, auth)

  expect((await readableSecrets())[miasFactor]).toBeNull()
})

it('exchanges imported refresh tokens again after a run with the right root key', async () => {
  await importWithOtherKey()
  const refresh = () =>
    auth.post('/token?grant_type=refresh_token', { refresh_token: 'adathird2222' })
  const rejected = await refresh()

  await importFrom(source.url, auth)

  expect([rejected.status, (await refresh()).status]).toEqual([400, 200])
})

it('leaves refresh tokens in the form of a former root key, which a service may still have', async () => {
  await importFrom(source.url, auth)
  const hashes = () => auth.rows('select token_hash from auth.imported_tokens order by 1')
  const before = await hashes()

  await importFrom(source.url, {
    deps: async () => ({
      ...(await auth.deps()),
      roots: extractRoots('another root secret', testSecret),
    }),
  })

  expect(await hashes()).toEqual(before)
})

describe('at the start of a service, the missing root key of imported refresh tokens', () => {
  const warningsOf = async () => {
    const warnings: unknown[] = []
    const logger = {
      ...silentLogger,
      warn: (fields: object, text: string) => warnings.push([fields, text]),
    }
    await warnOfMissingKeys({ ...(await auth.deps()), logger })
    return warnings
  }

  it('is named', async () => {
    await importWithOtherKey()
    await auth.rows('delete from auth.factors')

    expect(await warningsOf()).toEqual([
      [
        { root_key: keyIdOf('another root secret'), imported_tokens: expect.any(Number) },
        expect.stringContaining('imported refresh tokens are hashed with a root key'),
      ],
    ])
  })

  it('is not named where the sessions were renewed here, which have own tokens', async () => {
    await importWithOtherKey()
    await auth.rows('delete from auth.factors')
    await auth.rows('update auth.sessions set refresh_token_counter = 1')

    expect(await warningsOf()).toEqual([])
  })
})
