import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TestDatabase } from '../../../test/support/database.ts'
import { type ImportOptions, importFrom } from '../../../test/support/gotrue/import-from.ts'
import { createSourceDatabase } from '../../../test/support/gotrue/source-database.ts'
import { runSql } from '../../../test/support/sql.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import type { ImportPart } from './import-part.ts'

let source: TestDatabase
let auth: TestAuth

/** Runs the import again. */
const again = (input?: ImportOptions) => importFrom(source.url, auth, input)
const there = (text: string) => runSql(source.url, text)

/**
 * Runs the import again, with work after all users are committed and before rejected ones are
 * retried.
 */
function againWith(beforeRetry: () => Promise<unknown>, input: ImportOptions = {}) {
  const nothing = { added: {}, losses: [] }
  let batches = 0
  const part: ImportPart = {
    read: async () => async () => nothing,
    ofUsers: async () => {
      batches += 1
      // The second batch is empty, so its transaction locks no user.
      if (batches === 2) await beforeRetry()
      return nothing
    },
  }
  return again({ ...input, parts: [part] })
}

beforeEach(async () => {
  source = await createSourceDatabase('layout.sql', 'people.sql')
  auth = await startTestAuth()
  await again()
})
afterEach(async () => {
  await auth?.close()
  await source?.drop()
})

const userId = (number: string) => `a0000000-0000-4000-8000-0000000000${number}`
const ada = userId('01')
const bob = userId('02')

describe('a user whose new address another user of the same batch released', () => {
  const requestCode = () => auth.post('/otp', { email: 'bob@example.test' })
  const exchangeThere = () =>
    there(`
      update auth.users set email = 'own@example.test' where id = '${ada}';
      update auth.users set email = 'ada@example.test' where id = '${bob}';
      update auth.users set email = 'bob@example.test' where id = '${ada}'`)

  it('has it before a request can register it', async () => {
    await exchangeThere()

    const { users } = await againWith(requestCode)

    expect(users).toMatchObject({ updated: 2, refused: 0, signUpsReplaced: 0 })
    expect(await auth.auth.admin.findUser({ email: 'bob@example.test' })).toMatchObject({ id: ada })
  })

  it('has it before a request can register it where the other user is deleted', async () => {
    await there(`
      delete from auth.users where id = '${bob}';
      update auth.users set email = 'bob@example.test', updated_at = now() where id = '${ada}'`)

    const { users } = await againWith(requestCode, { prune: true })

    expect(users).toMatchObject({ updated: 1, refused: 0, removed: 1, signUpsReplaced: 0 })
    expect(await auth.auth.admin.findUser({ email: 'bob@example.test' })).toMatchObject({ id: ada })
  })

  it('is counted as updated in a dry run', async () => {
    await exchangeThere()

    const { users } = await again({ dryRun: true })

    expect(users).toMatchObject({ updated: 2, refused: 0 })
    expect(await auth.auth.admin.getUser(ada)).toMatchObject({ email: 'ada@example.test' })
  })

  it('has it in a dry run, too, if the last user of the source was deleted', async () => {
    await there(`
      delete from auth.users where id = '${userId('17')}';
      update auth.users set email = 'hal@example.test', updated_at = now() where id = '${ada}'`)

    const dry = await again({ prune: true, dryRun: true })
    const { users } = await again({ prune: true })

    expect([dry.users.updated, dry.users.refused]).toEqual([1, 0])
    expect([users.updated, users.refused]).toEqual([1, 0])
  })
})

describe('a user whose new address another user here has', () => {
  const reportedOf = ({ reportedLosses }: Awaited<ReturnType<typeof again>>, what: string) =>
    reportedLosses.filter((loss) => loss.userId === ada && loss.what === what)

  beforeEach(async () => {
    await auth.auth.admin.createUser({ email: 'zoe@example.test' })
    await there(`
      update auth.users set email = 'zoe@example.test', updated_at = now() where id = '${ada}'`)
  })

  /** Adds a factor and a passkey at the source that other ones here conflict with. */
  async function addTakenCredentials() {
    await auth.rows(
      `insert into auth.factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at)
       values ('f0000000-0000-4000-8000-0000000000ff', $1, 'Mine', 'totp', 'verified', now(), now())`,
      [ada],
    )
    await auth.rows(
      `insert into auth.passkeys select taken.* from auth.passkeys p, jsonb_populate_record(p, $1) taken
       where p.id = 'e0000000-0000-4000-8000-000000000016'`,
      [JSON.stringify({ id: 'e0000000-0000-4000-8000-0000000000ff', credential_id: 'BQ' })],
    )
    await there(`
      insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at)
      values ('f0000000-0000-4000-8000-0000000000fe', '${ada}', 'Mine', 'totp', 'verified', now(), now());
      insert into auth.webauthn_credentials (user_id, credential_id, public_key)
      values ('${ada}', '\\x05', '\\x06')`)
  }

  it('is reported without an address if the user changes here before the retry', async () => {
    const { body } = await auth.post('/token?grant_type=refresh_token', {
      refresh_token: 'adathird2222',
    })
    const change = { data: { theme: 'dark' } }

    const report = await againWith(() => auth.put('/user', change, { token: body.access_token }))

    expect(await auth.auth.admin.getUser(ada)).toMatchObject({
      email: null,
      userMetadata: { theme: 'dark' },
    })
    expect(report.users).toMatchObject({ changedHere: 1, refused: 0 })
    expect(reportedOf(report, 'change')).toMatchObject([
      { reason: 'email_exists' },
      { reason: 'no address left' },
    ])
  })

  it('is reported with its rejected factors and passkeys', async () => {
    await addTakenCredentials()

    const report = await again()

    expect(report.users).toMatchObject({ refused: 1 })
    expect(reportedOf(report, 'factor')).toMatchObject([{ reason: 'name taken' }])
    expect(reportedOf(report, 'passkey')).toMatchObject([{ reason: 'taken' }])
  })

  it('is reported with its rejected factors and passkeys once if it is stored at the end', async () => {
    await addTakenCredentials()

    const report = await againWith(async () => {
      const owner = await auth.auth.admin.findUser({ email: 'zoe@example.test' })
      await auth.auth.admin.deleteUser(owner?.id ?? '')
    })

    expect(report.users).toMatchObject({ updated: 1, refused: 0 })
    expect(reportedOf(report, 'factor')).toMatchObject([{ reason: 'name taken' }])
    expect(reportedOf(report, 'passkey')).toMatchObject([{ reason: 'taken' }])
  })
})
