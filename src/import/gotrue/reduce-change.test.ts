import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TestDatabase } from '../../../test/support/database.ts'
import { type ImportOptions, importFrom } from '../../../test/support/gotrue/import-from.ts'
import { createSourceDatabase } from '../../../test/support/gotrue/source-database.ts'
import { runSql } from '../../../test/support/sql.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'

let source: TestDatabase
let auth: TestAuth

const again = (options: ImportOptions = {}) => importFrom(source.url, auth, options)
const there = (text: string) => runSql(source.url, text)

beforeEach(async () => {
  source = await createSourceDatabase('layout.sql', 'people.sql')
  auth = await startTestAuth()
  await again()
})
afterEach(async () => {
  await auth?.close()
  await source?.drop()
})

const ada = 'a0000000-0000-4000-8000-000000000001'
const adasSession = 'c0000000-0000-4000-8000-000000000001'
const otherPassword = `$2b$04$${'a'.repeat(53)}`

const changeThere = (values: string) =>
  there(`update auth.users set updated_at = now(), ${values} where id = '${ada}'`)
const tooMuch = `raw_user_meta_data = jsonb_build_object('photo', repeat('x', 20000))`
const statusOfSignIn = async () =>
  (
    await auth.post('/token?grant_type=password', {
      email: 'ada@example.test',
      password: 'correct horse',
    })
  ).status
const userHere = () => auth.auth.admin.getUser(ada)

/** Values at the source that are rejected here, each with the reason. */
const rejections: [string, () => Promise<unknown>, string][] = [
  ['too much metadata', () => changeThere(tooMuch), 'user_metadata is too large'],
  [
    'more than 50 identities',
    () =>
      there(`
        update auth.users set updated_at = now() where id = '${ada}';
        insert into auth.identities (provider, provider_id, user_id, identity_data)
        select 'github', n::text, '${ada}', '{}' from generate_series(1000, 1060) n`),
    'too_many_identities',
  ],
  [
    'the address of another user',
    async () => {
      await auth.auth.admin.createUser({ email: 'zoe@example.test' })
      await changeThere(`email = 'zoe@example.test'`)
    },
    'email_exists',
  ],
]

describe.each(rejections)('a change with %s', (_case, reject, reason) => {
  it('is reported, and ends the access by the former password', async () => {
    const before = await statusOfSignIn()
    await reject()
    await changeThere(`encrypted_password = '${otherPassword}'`)

    const { users, reportedLosses } = await again()

    expect([before, await statusOfSignIn()]).toEqual([200, 400])
    expect(users).toMatchObject({ refused: 1, changedHere: 0, deletedHere: 0 })
    expect(reportedLosses).toContainEqual({ userId: ada, what: 'change', reason })
  })

  it('bans the user', async () => {
    await reject()
    await changeThere(`banned_until = '2999-01-01'`)

    await again()

    expect((await userHere()).bannedUntil).toEqual(new Date('2999-01-01T00:00:00Z'))
    expect(await statusOfSignIn()).toBe(400)
  })

  it('ends sessions, removes identities and deletes', async () => {
    await reject()
    await there(`delete from auth.sessions where id = '${adasSession}';
      delete from auth.identities where user_id = '${ada}' and provider = 'google'`)
    await changeThere('deleted_at = now()')

    const { sessions } = await again()

    const [row] = await auth.rows('select deleted_at from auth.users where id = $1', [ada])
    expect(row?.['deleted_at']).not.toBeNull()
    expect(sessions.ended).toBeGreaterThan(0)
    const providers = await auth.rows(
      `select from auth.identities where user_id = $1 and provider = 'google'`,
      [ada],
    )
    expect(providers).toEqual([])
  })

  it('is not stored again in the next run', async () => {
    const entries = () =>
      auth.rows('select id from auth.audit_entries where user_id = $1 order by id', [ada])
    await reject()
    await again()
    const before = await entries()

    const { users } = await again()

    expect(users.refused).toBe(1)
    expect(await entries()).toEqual(before)
  })
})

it('applies the other values of a change with too much metadata, and the metadata once they fit', async () => {
  await changeThere(
    `${tooMuch}, raw_app_meta_data = '{"plan": "pro"}', role = 'reader', email = 'ada@new.test'`,
  )
  await again()
  const reduced = await userHere()
  await changeThere(`raw_user_meta_data = '{"full_name": "Ada King"}'`)

  const { users } = await again()

  expect(reduced).toMatchObject({
    email: 'ada@new.test',
    role: 'reader',
    appMetadata: { plan: 'pro' },
    userMetadata: { full_name: 'Ada Lovelace' },
  })
  expect(users).toMatchObject({ updated: 1, refused: 0 })
  expect((await userHere()).userMetadata).toEqual({ full_name: 'Ada King' })
})

it('removes the keys of app_metadata that the source removed or changed, although the others are too large', async () => {
  await changeThere(`raw_app_meta_data = '{"plan": "pro", "tier": "gold", "seats": 5}'`)
  await again()
  await changeThere(
    `raw_app_meta_data = jsonb_build_object('plan', 'pro', 'tier', 'none', 'notes', repeat('x', 20000))`,
  )

  const { reportedLosses } = await again()

  expect(reportedLosses).toContainEqual({
    userId: ada,
    what: 'change',
    reason: 'app_metadata is too large',
  })
  expect((await userHere()).appMetadata).toEqual({ plan: 'pro' })
})

it('opens sessions of a user whose change is reduced', async () => {
  await changeThere(tooMuch)
  await there(`
    insert into auth.sessions (id, user_id, created_at, aal)
    values ('c0000000-0000-4000-8000-000000000099', '${ada}', now(), 'aal1');
    insert into auth.refresh_tokens (token, session_id, revoked)
    values ('adasother222', 'c0000000-0000-4000-8000-000000000099', false)`)

  const { sessions } = await again()

  expect(sessions.opened).toBe(1)
})

describe('a change that is rejected for another reason', () => {
  const kim = 'a0000000-0000-4000-8000-000000000010'
  const bob = 'a0000000-0000-4000-8000-000000000002'
  const phone = '4915112349999'

  it('of a user who leaves single sign-on with the address of a missing user is stored with its deletion', async () => {
    await there(`
      delete from auth.users where id = '${ada}';
      update auth.users set is_sso_user = false, updated_at = now() where id = '${kim}';
      update auth.users set banned_until = '2999-01-01', updated_at = now() where id = '${bob}'`)

    const { users } = await again({ prune: true })

    expect(users).toMatchObject({ updated: 2, refused: 0, removed: 1 })
    expect((await auth.auth.admin.getUser(bob)).bannedUntil).not.toBeNull()
  })

  it('leaves a user anonymous whose first address is taken', async () => {
    const anonymous = 'a0000000-0000-4000-8000-000000000009'
    const isAnonymousHere = async () => (await auth.auth.admin.getUser(anonymous)).isAnonymous
    const before = await isAnonymousHere()
    await auth.auth.admin.createUser({ email: 'zoe@example.test' })
    await there(`
      update auth.users set is_anonymous = false, email = 'zoe@example.test',
        email_confirmed_at = now(), updated_at = now()
      where id = '${anonymous}'`)
    await again()

    expect([before, await isAnonymousHere()]).toEqual([true, true])
  })

  it('removes an address, although the new phone is taken', async () => {
    await auth.auth.admin.createUser({ phone })
    await changeThere(`email = null, email_confirmed_at = null, phone = '${phone}'`)
    await again()

    expect(await userHere()).toMatchObject({ email: null, phone: null })
    expect(await statusOfSignIn()).toBe(400)
  })

  it('removes the confirmation of an address, although the new phone is taken', async () => {
    await auth.auth.admin.createUser({ phone })
    await changeThere(`email_confirmed_at = null, phone = '${phone}'`)
    await again()

    expect((await userHere()).emailConfirmedAt).toBeNull()
    expect(await statusOfSignIn()).toBe(400)
  })

  it('removes a pending address that the source removed, although the new address is taken', async () => {
    await there(`update auth.users set email_change = 'new@example.test' where id = '${ada}'`)
    await again()
    await auth.auth.admin.createUser({ email: 'zoe@example.test' })
    await there(`
      update auth.users set email = 'zoe@example.test', email_change = '', updated_at = now()
      where id = '${ada}'`)

    await again()

    expect(await auth.auth.admin.getUser(ada)).toMatchObject({ email: null, newEmail: null })
  })

  it('removes an identity whose subject the provider changed', async () => {
    await auth.auth.admin.createUser({ email: 'zoe@example.test' })
    await there(`
      update auth.identities set provider_id = '9999', identity_data = '{"sub": "9999"}'
      where user_id = '${ada}' and provider = 'google'`)
    await changeThere(`email = 'zoe@example.test'`)
    await again()

    const subjects = await auth.rows(
      `select subject from auth.identities where user_id = $1 and provider = 'google'`,
      [ada],
    )
    expect(subjects).toEqual([])
  })

  it('gets an address in place of an unconfirmed sign-up', async () => {
    await auth.post('/signup', { email: 'newada@example.test', password: 'correct horse' })
    await auth.rows(`update auth.users
      set email_confirmed_at = null, registered_by = 'signup', registered_from = '198.51.100.7'
      where email = 'newada@example.test'`)
    await changeThere(`${tooMuch}, email = 'newada@example.test'`)

    const { users } = await again()

    expect(users.signUpsReplaced).toBe(1)
    expect((await userHere()).email).toBe('newada@example.test')
  })
})
