import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TestDatabase } from '../../../test/support/database.ts'
import { type ImportOptions, importFrom } from '../../../test/support/gotrue/import-from.ts'
import { createSourceDatabase } from '../../../test/support/gotrue/source-database.ts'
import { runSql } from '../../../test/support/sql.ts'
import { type Answer, startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'

let source: TestDatabase
let auth: TestAuth

/** Runs the import again. */
const again = (input?: ImportOptions) => importFrom(source.url, auth, input)
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

const userId = (number: string) => `a0000000-0000-4000-8000-0000000000${number}`
const ada = userId('01')
const bob = userId('02')
const adasSession = 'c0000000-0000-4000-8000-000000000001'

const statusAndCode = ({ status, body }: Answer) => [status, body.error_code]
const signIn = (email: string) =>
  auth.post('/token?grant_type=password', { email, password: 'correct horse' })
const refresh = (token: string) =>
  auth.post('/token?grant_type=refresh_token', { refresh_token: token })

describe('a user whose data another user here has', () => {
  it.each([
    ['an id', { id: userId('98') }, 'user_already_exists'],
    ['an email address', { email: 'zoe@example.test' }, 'email_exists'],
    ['a phone number', { phone: '4915112349999' }, 'phone_exists'],
  ])('is rejected for %s, and the others are not', async (_case, taken, reason) => {
    await auth.auth.admin.createUser({ email: 'own@example.test', ...taken })
    await there(`
      insert into auth.users (id, aud, role, email, phone, created_at, updated_at)
      values ('${userId('98')}', 'authenticated', '', 'Zoe@example.test', '4915112349999', now(), now()),
        ('${userId('99')}', 'authenticated', '', 'free@example.test', null, now(), now())`)

    const { users, reportedLosses } = await again()

    expect(users).toMatchObject({ added: 1, refused: 1 })
    expect(reportedLosses).toContainEqual({ userId: userId('98'), what: 'user', reason })
  })

  it('is rejected if that was part of a change, and loses the replaced address', async () => {
    await auth.auth.admin.createUser({ email: 'zoe@example.test' })
    await there(`
      update auth.users set email = 'zoe@example.test', updated_at = now() where id = '${bob}'`)

    const { users, reportedLosses } = await again()

    expect(users).toMatchObject({ updated: 0, refused: 1 })
    expect(reportedLosses).toContainEqual({ userId: bob, what: 'change', reason: 'email_exists' })
    expect(await auth.auth.admin.getUser(bob)).toMatchObject({
      email: null,
      emailConfirmedAt: null,
      phone: '4915112340002',
    })
    expect((await signIn('bob@example.test')).status).toBe(400)
  })

  it('does not sign in the next recipient of a replaced address', async () => {
    await auth.auth.admin.createUser({ email: 'zoe@example.test' })
    await there(`
      update auth.users set email = 'zoe@example.test', updated_at = now() where id = '${ada}'`)
    await again()

    await auth.post('/otp', { email: 'ada@example.test' })

    const found = await auth.auth.admin.findUser({ email: 'ada@example.test' })
    expect([found?.id === ada, (await auth.auth.admin.getUser(ada)).email]).toEqual([false, null])
  })

  it('is reported in each run without an address, until the new one is free', async () => {
    const cleo = userId('03')
    const owner = await auth.auth.admin.createUser({ email: 'zoe@example.test' })
    await there(`
      update auth.users set email = 'zoe@example.test', updated_at = now() where id = '${cleo}'`)
    const entries = () => auth.rows('select id from auth.audit_entries where user_id = $1', [cleo])
    const first = await again()
    const before = await entries()
    const second = await again()
    const after = await entries()
    await auth.auth.admin.deleteUser(owner.id)

    const { users } = await again()

    const losses = ['email_exists', 'no address left'].map((reason) => ({
      userId: cleo,
      what: 'change',
      reason,
    }))
    const of = (report: typeof first) =>
      report.reportedLosses.filter(({ userId }) => userId === cleo)
    expect([of(first), of(second), after]).toEqual([losses, losses, before])
    expect(users).toMatchObject({ updated: 1, refused: 0 })
    expect(await auth.auth.admin.getUser(cleo)).toMatchObject({
      email: 'zoe@example.test',
      identities: [{ provider: 'email' }],
    })
  })

  it('is stored in one run where two users exchanged their addresses', async () => {
    await there(`update auth.users set email = 'own@example.test' where id = '${ada}'`)
    await there(`update auth.users set email = 'ada@example.test' where id = '${bob}'`)
    await there(`update auth.users set email = 'bob@example.test' where id = '${ada}'`)

    const rounds = [await again(), await again()]

    expect(rounds.map(({ users }) => [users.updated, users.refused])).toEqual([
      [2, 0],
      [0, 0],
    ])
    expect(rounds[0]?.losses).toEqual(rounds[1]?.losses)
    expect((await signIn('ada@example.test')).body.user.id).toBe(bob)
  })

  it('is rejected with a change, and is still signed out here if the session ended at the source', async () => {
    await auth.auth.admin.createUser({ email: 'zoe@example.test' })
    await there(`
      update auth.users set email = 'zoe@example.test', updated_at = now() where id = '${ada}';
      delete from auth.sessions where id = '${adasSession}'`)

    const { users, sessions } = await again()

    expect([users.refused, sessions.ended]).toEqual([1, 1])
    expect(statusAndCode(await refresh('adathird2222'))).toEqual([400, 'refresh_token_not_found'])
  })

  it('is stored in the run in which other users of the source released the data', async () => {
    await there(`update auth.users set email = 'ada@new.test' where id = '${ada}'`)
    await there(`update auth.users set email = 'ada@example.test' where id = '${bob}'`)
    await there(`
      insert into auth.users (id, aud, role, email, created_at, updated_at)
      values ('${userId('00')}', 'authenticated', '', 'bob@example.test', now(), now())`)

    const rounds = [await again(), await again()]

    const counts = rounds.map(({ users }) => [users.added, users.updated, users.refused])
    expect(counts).toEqual([
      [1, 2, 0],
      [0, 0, 0],
    ])
    expect(rounds[0]).toMatchObject({ done: rounds[0]?.total })
    expect((await signIn('ada@example.test')).body.user.id).toBe(bob)
  })
})

describe('a user whose address has an unconfirmed account here', () => {
  /** Creates an unconfirmed sign-up. */
  const occupy = async (address: Record<string, string>) => {
    const [kind = '', value = ''] = Object.entries(address)[0] ?? []
    const { id } = await auth.auth.admin.createUser(address)
    await auth.rows(`update auth.users set registered_by = 'signup' where ${kind} = $1`, [value])
    return id
  }

  it('is stored with their own id, and the sign-up is deleted', async () => {
    const deleted = [
      await occupy({ email: 'zoe@example.test' }),
      await occupy({ phone: '4915112349999' }),
    ]
    await there(`
      insert into auth.users (id, aud, role, email, phone, created_at, updated_at)
      values ('${userId('98')}', 'authenticated', '', 'Zoe@example.test', '4915112349999', now(), now())`)

    const dry = await again({ dryRun: true })
    const { users } = await again()
    const once = await again()

    const counts = { added: 1, refused: 0, signUpsReplaced: 2 }
    expect([dry.users, users]).toMatchObject([counts, counts])
    expect(once.users).toMatchObject({ added: 0, unchanged: 18, signUpsReplaced: 0 })
    expect(await auth.auth.admin.findUser({ email: 'zoe@example.test' })).toMatchObject({
      id: userId('98'),
      phone: '4915112349999',
    })
    for (const id of deleted) expect(await auth.auth.admin.findUser({ id })).toBeNull()
  })

  it('also receives it by a change', async () => {
    const deleted = await occupy({ email: 'zoe@example.test' })
    await there(`
      update auth.users set email = 'zoe@example.test', updated_at = now() where id = '${bob}'`)

    const { users } = await again()

    expect(users).toMatchObject({ updated: 1, refused: 0, signUpsReplaced: 1 })
    expect(await auth.auth.admin.getUser(bob)).toMatchObject({ email: 'zoe@example.test' })
    expect(await auth.auth.admin.findUser({ id: deleted })).toBeNull()
  })
})

describe('two users of the source with one address in two spellings', () => {
  const carl = userId('03')
  const twice = (values: string) => `
    insert into auth.users (id, aud, role, email, created_at, updated_at)
    values ${values}`
  const row = (number: string, email: string) =>
    `('${userId(number)}', 'authenticated', '', '${email}', now(), now())`

  it('are the first of them, also where an unconfirmed account has the address', async () => {
    const { id } = await auth.auth.admin.createUser({ email: 'zoe@example.test' })
    await auth.rows(`update auth.users set registered_by = 'signup' where id = $1`, [id])
    await there(
      twice(
        [
          row('97', 'Zoe@example.test'),
          row('98', 'zoe@example.test'),
          row('99', 'free@e.test'),
        ].join(),
      ),
    )

    const { users, reportedLosses } = await again()

    expect(users).toMatchObject({ added: 2, refused: 1, signUpsReplaced: 1 })
    expect(reportedLosses).toContainEqual({
      userId: userId('98'),
      what: 'user',
      reason: 'email_exists',
    })
  })

  it('are the first of them where both change', async () => {
    await there(`update auth.users set email = 'Zoe@example.test' where id = '${bob}'`)
    await there(`update auth.users set email = 'zoe@example.test' where id = '${carl}'`)

    const { users, reportedLosses } = await again()

    expect(users).toMatchObject({ updated: 1, refused: 1 })
    expect(reportedLosses).toContainEqual({ userId: carl, what: 'change', reason: 'email_exists' })
  })
})
