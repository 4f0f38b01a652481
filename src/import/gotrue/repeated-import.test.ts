import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TestDatabase } from '../../../test/support/database.ts'
import { type ImportOptions, importFrom } from '../../../test/support/gotrue/import-from.ts'
import { createSourceDatabase } from '../../../test/support/gotrue/source-database.ts'
import { claimsIn } from '../../../test/support/second-factors.ts'
import { runSql } from '../../../test/support/sql.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { givenTrustedDevice } from '../../../test/support/trusted-devices.ts'
import { waitFor } from '../../../test/support/wait-for.ts'
import type { AuthEvent } from '../../index.ts'

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
const otherPassword = `$2b$04$${'a'.repeat(53)}`
const adasSession = 'c0000000-0000-4000-8000-000000000001'

const signIn = (email: string, password = 'correct horse') =>
  auth.post('/token?grant_type=password', { email, password })
const refresh = (token: string) =>
  auth.post('/token?grant_type=refresh_token', { refresh_token: token })
const outcome = async (token: string) => {
  const { status, body } = await refresh(token)
  return status === 200 ? 'renewed' : body.error_code
}

/** Renews a session at the source, as GoTrue does. */
const renewThere = (session: string, parent: string, token: string) =>
  there(`
    update auth.refresh_tokens set revoked = true, updated_at = now() where token = '${parent}';
    insert into auth.refresh_tokens (token, parent, revoked, session_id, updated_at)
    values ('${token}', '${parent}', false, '${session}', now())`)

/** Gives a session the state after a factor was verified here. */
const proveHere = (session: { access_token: string }, factorId: string) =>
  auth.rows(
    `update auth.sessions set aal = 'aal2', factor_id = $2,
       amr = '[{"method": "totp", "timestamp": 2}, {"method": "password", "timestamp": 1}]' where id = $1`,
    [sessionOf(session), factorId],
  )

/** Gives a session the state after it rose here by a trusted device, and creates the device. */
async function trustHere(session: { access_token: string }) {
  await givenTrustedDevice(auth, ada)
  await auth.rows(
    `update auth.sessions set aal = 'aal2',
       amr = '[{"method": "trusted_device", "timestamp": 2}, {"method": "password", "timestamp": 1}]' where id = $1`,
    [sessionOf(session)],
  )
}

const sessionOf = ({ access_token }: { access_token: string }) => claimsIn(access_token).session_id

const devicesHere = () => auth.rows('select id from auth.trusted_devices where user_id = $1', [ada])

/** Returns the methods of the sessions that were opened here. */
const proofsHere = () =>
  auth.rows(
    `select aal, factor_id, jsonb_path_query_array(amr, '$[*].method') as methods from auth.sessions
     where user_id = $1 and id not in (select id from auth.imported_sessions)`,
    [ada],
  )

describe('another run imports', () => {
  it('nothing without changes', async () => {
    const { users, sessions, factors } = await again()

    expect(users).toMatchObject({ added: 0, updated: 0, unchanged: 17, refused: 0 })
    expect([sessions, factors]).toEqual([
      { opened: 0, ended: 0 },
      { added: 0, removed: 0, resealed: 0 },
    ])
  })

  it('nothing of users without times, however late it is', async () => {
    await there(`
      insert into auth.users (id, aud, role, email, last_sign_in_at)
      values ('${userId('98')}', '', '', 'zoe@example.test', '2026-01-02'),
        ('${userId('99')}', '', '', 'yve@example.test', null)`)
    await again()
    auth.clock.advance(60)

    const { users } = await again()

    expect(users).toMatchObject({ updated: 0, unchanged: 19 })
    expect(await auth.auth.admin.getUser(userId('98'))).toMatchObject({
      createdAt: new Date('2026-01-02T00:00:00Z'),
    })
  })

  it('new users and sessions', async () => {
    await there(`
      insert into auth.users (id, aud, role, email, encrypted_password, email_confirmed_at, created_at, updated_at)
      select '${userId('99')}', aud, role, 'zoe@example.test', encrypted_password, now(), now(), now()
        from auth.users where id = '${ada}';
      insert into auth.sessions (id, user_id, created_at, aal)
      values ('c0000000-0000-4000-8000-000000000099', '${userId('99')}', '2026-03-01', 'aal1');
      insert into auth.refresh_tokens (token, session_id, revoked)
      values ('zoesfirst222', 'c0000000-0000-4000-8000-000000000099', false)`)

    const { users, sessions } = await again()

    expect([users.added, sessions.opened]).toEqual([1, 1])
    expect((await signIn('zoe@example.test')).status).toBe(200)
    expect(await outcome('zoesfirst222')).toBe('renewed')
  })

  it('no session whose refresh tokens have a form that a refresh rejects, and reports it', async () => {
    const session = (number: string) => `c0000000-0000-4000-8000-0000000000${number}`
    await there(`
      insert into auth.sessions (id, user_id, created_at, aal)
      select id::uuid, '${ada}', '2026-03-01', 'aal1'
      from unnest(array['${session('97')}', '${session('98')}']) as id;
      insert into auth.refresh_tokens (token, parent, session_id, revoked)
      values ('a-token-of-another-form', 'another', '${session('97')}', false),
        ('another form', 'adaeight2222', '${session('98')}', false)`)

    const { sessions, losses } = await again()

    expect(sessions.opened).toBe(1)
    expect(losses['session: refresh token of unknown form']).toBe(1)
    expect(await outcome('a-token-of-another-form')).not.toBe('renewed')
    expect(await outcome('adaeight2222')).toBe('renewed')
  })

  it('changes of a user, and the removal of data at the source', async () => {
    const bcrypt = '$2a$04$uKSxNkbPAR2vaSA9qr8ase7EkNrM3apGy6erhhBIWTMBHKLAkME/m'
    await there(`
      update auth.users set email = 'bob@new.test', encrypted_password = '${bcrypt}',
        raw_user_meta_data = '{"name": "Bob"}', banned_until = null, updated_at = now() where id = '${bob}';
      delete from auth.identities where user_id = '${ada}' and provider = 'google';
      update auth.mfa_factors set friendly_name = 'New phone', updated_at = now() where user_id = '${ada}'`)

    const { users } = await again()

    expect(users).toMatchObject({ updated: 2, unchanged: 15 })
    const signedIn = await signIn('bob@new.test')
    expect(signedIn.body.user).toMatchObject({ id: bob, user_metadata: { name: 'Bob' } })
    expect((await auth.auth.admin.getUser(ada))?.identities).toHaveLength(1)
    const factors = await auth.rows('select friendly_name from auth.factors where user_id = $1', [
      ada,
    ])
    expect(factors).toEqual([{ friendly_name: 'New phone' }])
    expect(await again()).toMatchObject({ users: { updated: 0, unchanged: 17 } })
  })

  it('the newest thousand sessions of a user with more, and counts the others', async () => {
    await there(`
      with made as (
        insert into auth.sessions (id, user_id, created_at, aal)
        select gen_random_uuid(), '${bob}', timestamptz '2026-01-01' + n * interval '1 second', 'aal1'
        from generate_series(1, 1003) n returning id, created_at
      )
      insert into auth.refresh_tokens (token, session_id, revoked)
      select to_char(created_at at time zone 'UTC', '"at"MMDDHH24MISS'), id, false from made`)

    const { sessions, losses, reportedLosses } = await again()

    expect([sessions.opened, losses['session: too many']]).toEqual([1000, 3])
    expect(reportedLosses).toContainEqual({
      userId: bob,
      what: 'session',
      reason: 'too many',
      count: 3,
    })
    expect(await outcome('at0101000003')).toBe('refresh_token_not_found')
    expect(await outcome('at0101000004')).toBe('renewed')
  })

  it('a password that changed at the source, which ends sessions opened or renewed here', async () => {
    const [opened, renewed] = [await signIn('bob@example.test'), await refresh('adathird2222')]
    const change = (set: string) =>
      there(`update auth.users set ${set}, updated_at = now() where id in ('${ada}', '${bob}')`)
    await change(`role = 'editor'`)
    await again()
    const afterAnother = await refresh(opened.body.refresh_token)

    await change(`encrypted_password = '${otherPassword}'`)
    await again()

    expect(afterAnother.status).toBe(200)
    for (const { body } of [afterAnother, renewed]) {
      expect(await outcome(body.refresh_token)).toBe('refresh_token_not_found')
    }
    expect((await signIn('bob@example.test')).status).toBe(400)
  })

  it('an address that changed at the source, which ends links and codes from before', async () => {
    const linkFor = (email: string) => auth.auth.admin.generateLink({ type: 'magiclink', email })
    const [former, adas] = [await linkFor('bob@example.test'), await linkFor('ada@example.test')]
    await auth.rows(
      `insert into auth.authorization_codes
         (id, user_id, code_hash, code_challenge, code_challenge_method, method, expires_at, created_at)
       select gen_random_uuid(), id, encode(sha256(convert_to(split_part(email, '@', 1), 'utf8')), 'hex'),
         'a verifier', 'plain', 'magiclink', now() + interval '1 hour', now()
       from auth.users where id in ($1, $2)`,
      [ada, bob],
    )
    await there(`
      update auth.users set email = 'robert@example.test', updated_at = now() where id = '${bob}';
      update auth.users set role = 'editor', updated_at = now() where id = '${ada}'`)

    await again()

    const exchange = async (auth_code: string) => {
      const input = { auth_code, code_verifier: 'a verifier' }
      return (await auth.post('/token?grant_type=pkce', input)).status
    }
    const follow = async ({ hashedToken: token_hash }: { hashedToken: string }) =>
      (await auth.post('/verify', { type: 'magiclink', token_hash })).status
    expect([await exchange('bob'), await exchange('ada')]).toEqual([404, 200])
    expect([await follow(former), await follow(adas)]).toEqual([403, 200])
  })

  it('a password that changed at the source, where sessions continue', async () => {
    await there(`
      update auth.users set encrypted_password = '${otherPassword}', updated_at = now()
      where id = '${ada}'`)

    await again()

    expect(await outcome('adathird2222')).toBe('renewed')
  })

  it('an identity that was unlinked and linked again at the source', async () => {
    await there(`
      update auth.identities set id = gen_random_uuid() where user_id = '${ada}';
      update auth.users set updated_at = now() where id = '${ada}'`)

    const { users } = await again()

    expect(users.updated).toBe(1)
    const linked = await there(
      `select id::text, provider from auth.identities where user_id = '${ada}' order by provider`,
    )
    const { identities } = await auth.auth.admin.getUser(ada)
    expect(identities.map(({ id, provider }) => ({ id, provider }))).toEqual(linked)
  })

  it('a factor that was enrolled again at the source with the same name, which replaces the former one', async () => {
    const [own, other] = [
      'f0000000-0000-4000-8000-0000000000a1',
      'f0000000-0000-4000-8000-0000000000a2',
    ]
    const enroll = (id: string, name: string) =>
      there(`
        insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, secret, created_at, updated_at)
        values ('${id}', '${ada}', '${name}', 'totp', 'verified', 'JBSWY3DPEHPK3PXP', now(), now())`)
    await there(`delete from auth.mfa_factors where user_id = '${ada}'`)
    await enroll(own, `Ada''s phone`)

    const replaced = await again()
    await there(`
      update auth.mfa_factors set friendly_name = 'Old phone', updated_at = now() where id = '${own}'`)
    await enroll(other, `Ada''s phone`)
    const renamed = await again()

    expect([replaced.factors, renamed.factors]).toMatchObject([{ added: 1 }, { added: 1 }])
    const text = 'select id, friendly_name as name from auth.factors where user_id = $1 order by id'
    expect(await auth.rows(text, [ada])).toEqual([
      { id: own, name: 'Old phone' },
      { id: other, name: `Ada's phone` },
    ])
  })

  it('the removal of the last factor at the source, which deletes recovery codes generated here', async () => {
    const set = 'f0000000-0000-4000-8000-0000000000b1'
    await auth.rows(
      `insert into auth.factors (id, user_id, factor_type, status, created_at, updated_at)
       values ($1, $2, 'recovery_code', 'verified', now(), now())`,
      [set, ada],
    )
    const sets = () => auth.rows('select id from auth.factors where id = $1', [set])
    await there(`update auth.users set role = 'owner', updated_at = now() where id = '${ada}'`)

    await again()
    const kept = await sets()
    await there(`delete from auth.mfa_factors where user_id = '${ada}'`)
    const { factors } = await again()

    expect([kept, await sets()]).toEqual([[{ id: set }], []])
    expect(factors.removed).toBe(2)
  })

  it('the removal of a factor at the source, and of its effect on sessions and devices here', async () => {
    const [opened, trusting] = [await signIn('ada@example.test'), await signIn('ada@example.test')]
    await proveHere(opened.body, 'f0000000-0000-4000-8000-000000000001')
    await trustHere(trusting.body)
    await there(`delete from auth.mfa_factors where user_id = '${ada}'`)

    await again()

    expect(await proofsHere()).toEqual([
      { aal: 'aal1', factor_id: null, methods: ['password'] },
      { aal: 'aal1', factor_id: null, methods: ['password'] },
    ])
    expect(await devicesHere()).toEqual([])
  })

  it('a factor that was enrolled at the source, after which no device is trusted', async () => {
    await trustHere((await signIn('ada@example.test')).body)
    await there(`
      insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, secret, created_at, updated_at)
      values (gen_random_uuid(), '${ada}', 'Another', 'totp', 'verified', 'JBSWY3DPEHPK3PXP', now(), now())`)

    await again()

    expect(await devicesHere()).toEqual([])
    expect(await proofsHere()).toEqual([{ aal: 'aal1', factor_id: null, methods: ['password'] }])
  })

  it('a password that changed at the source, after which no device is trusted', async () => {
    await givenTrustedDevice(auth, ada)
    await there(`update auth.users set role = 'editor', updated_at = now() where id = '${ada}'`)
    await again()
    const kept = await devicesHere()
    await there(`
      update auth.users set encrypted_password = '${otherPassword}', updated_at = now()
      where id = '${ada}'`)

    await again()

    expect([kept.length, await devicesHere()]).toEqual([1, []])
  })

  it('the newest token of a session that is used at the source meanwhile', async () => {
    await renewThere(adasSession, 'adathird2222', 'adafourth222')

    await again()

    expect(await outcome('adasecond222')).toBe('refresh_token_not_found')
    expect(await outcome('adafourth222')).toBe('renewed')
  })

  it('the end of a session that was signed out at the source', async () => {
    await there(`delete from auth.sessions where id = '${adasSession}'`)
    await there(`update auth.refresh_tokens set revoked = true where token = 'evesfirst222'`)

    const { sessions } = await again()

    expect(sessions.ended).toBe(2)
    expect(await outcome('adathird2222')).toBe('refresh_token_not_found')
    expect(await outcome('evesfirst222')).toBe('refresh_token_not_found')
  })
})

describe('another run preserves', () => {
  it('a user that was changed here, whatever changed at the source since', async () => {
    await auth.auth.admin.updateUser(bob, { password: 'another horse', role: 'staff' })
    await there(`update auth.users set role = 'editor', updated_at = now() where id = '${bob}'`)

    const { users } = await again()

    expect(users).toMatchObject({ changedHere: 1, updated: 0 })
    expect((await signIn('bob@example.test')).status).toBe(400)
    expect((await signIn('bob@example.test', 'another horse')).body.user.role).toBe('staff')
  })

  it('the absence of new sessions at the source of a user changed here: they rely on data that are no longer valid', async () => {
    await auth.auth.admin.updateUser(bob, { password: 'another horse' })
    await there(`
      insert into auth.sessions (id, user_id, created_at, aal)
      values ('c0000000-0000-4000-8000-000000000102', '${bob}', now(), 'aal1');
      insert into auth.refresh_tokens (token, session_id, revoked)
      values ('bobsstolen22', 'c0000000-0000-4000-8000-000000000102', false)`)

    expect((await again()).sessions.opened).toBe(0)
    expect(await outcome('bobsstolen22')).toBe('refresh_token_not_found')
  })

  it('a session that was renewed here, and its used token', async () => {
    const mine = await refresh('adathird2222')
    await renewThere(adasSession, 'adathird2222', 'adafourth222')
    auth.clock.advance(60)

    await again()

    expect(await outcome('adafourth222')).toBe('refresh_token_not_found')
    expect(await outcome(mine.body.refresh_token)).toBe('renewed')
    expect(await outcome('adathird2222')).toBe('refresh_token_already_used')
    await again()
    expect(await outcome('adathird2222')).toBe('refresh_token_already_used')
  })

  it('a session that was renewed here and signed out at the source', async () => {
    const mine = await refresh('adathird2222')
    await there(`delete from auth.sessions where id = '${adasSession}'`)

    expect((await again()).sessions.ended).toBe(0)
    expect(await outcome(mine.body.refresh_token)).toBe('renewed')
  })

  it('a sign-out: no session is opened again', async () => {
    const { body } = await refresh('evesfirst222')
    await auth.post('/logout', undefined, { token: body.access_token })
    await renewThere('c0000000-0000-4000-8000-000000000005', 'evesfirst222', 'evessecond22')

    expect((await again()).sessions.opened).toBe(0)
    expect(await outcome('evesfirst222')).toBe('refresh_token_not_found')
    expect(await outcome('evessecond22')).toBe('refresh_token_not_found')
  })

  it('a deletion: the user is not imported again', async () => {
    await auth.auth.admin.deleteUser(bob)
    await there(`update auth.users set role = 'editor', updated_at = now() where id = '${bob}'`)

    const { users, reportedLosses } = await again()

    expect(users).toMatchObject({ deletedHere: 1, added: 0 })
    expect(reportedLosses).toContainEqual({ userId: bob, what: 'user', reason: 'deleted here' })
    expect(await auth.auth.admin.findUser({ id: bob })).toBeNull()
  })

  it('a factor that was removed here, and one that was enrolled here', async () => {
    const own = 'f0000000-0000-4000-8000-0000000000ff'
    await auth.rows(`delete from auth.factors where user_id = $1`, [ada])
    await auth.rows(
      `insert into auth.factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at)
       values ($1, $2, 'Mine', 'totp', 'verified', now(), now())`,
      [own, ada],
    )
    await there(`update auth.users set role = 'owner', updated_at = now() where id = '${ada}'`)

    const { users } = await again()

    expect(users.updated).toBe(1)
    expect(await auth.rows('select id from auth.factors where user_id = $1', [ada])).toEqual([
      { id: own },
    ])
  })

  it('a session that a removed factor had raised', async () => {
    await auth.auth.admin.deleteFactor(ada, 'f0000000-0000-4000-8000-000000000001')
    await renewThere(adasSession, 'adathird2222', 'adafourth222')

    await again()

    const { body } = await refresh('adafourth222')
    expect(await auth.auth.verifyToken(body.access_token)).toMatchObject({
      session_id: adasSession,
      aal: 'aal1',
      amr: [{ method: 'password' }],
    })
  })

  it('a factor that was enrolled here, and reports one at the source with its name', async () => {
    await auth.rows(
      `insert into auth.factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at)
       values ('f0000000-0000-4000-8000-0000000000ff', $1, 'Mine', 'totp', 'verified', now(), now())`,
      [bob],
    )
    await there(`
      insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at)
      values ('f0000000-0000-4000-8000-0000000000fe', '${bob}', 'Mine', 'totp', 'verified', now(), now())`)

    const { factors, reportedLosses, losses } = await again()

    expect([factors.added, losses['factor: name taken']]).toEqual([0, 1])
    expect(reportedLosses).toContainEqual({ userId: bob, what: 'factor', reason: 'name taken' })
  })

  it('a sign-in here: it is not a change, and the later of the two times is kept', async () => {
    await signIn('bob@example.test')
    await there(`
      update auth.users set role = 'editor', last_sign_in_at = '2026-02-28', updated_at = now()
      where id = '${bob}'`)

    expect((await again()).users.updated).toBe(1)
    expect(await auth.auth.admin.getUser(bob)).toMatchObject({
      role: 'editor',
      lastSignInAt: auth.clock.now(),
    })
  })
})

it('a run and fifty concurrent renewals of a session create one successor', async () => {
  const requested = Array.from({ length: 50 }, () => refresh('adathird2222'))

  const [answers] = await Promise.all([Promise.all(requested), again(), again()])

  expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200))
  expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1)
  const [session] = await auth.rows(
    'select refresh_token_counter as counter, revoked_at from auth.sessions where id = $1',
    [adasSession],
  )
  expect(session).toEqual({ counter: 1, revoked_at: null })
})

describe('a user that no longer exists at the source', () => {
  beforeEach(() =>
    there(`delete from auth.users where id in ('${ada}', '${bob}', '${userId('17')}')`),
  )

  it('is counted, and kept', async () => {
    expect((await again()).users).toMatchObject({ missing: 3, removed: 0, unchanged: 14 })
    expect(await auth.auth.admin.findUser({ id: bob })).not.toBeNull()
  })

  it('is deleted on request, unless it was changed here', async () => {
    await auth.auth.admin.updateUser(ada, { role: 'staff' })

    const { users } = await again({ prune: true })

    expect(users).toMatchObject({ missing: 3, removed: 2 })
    expect(await auth.auth.admin.findUser({ id: ada })).not.toBeNull()
    expect(await auth.auth.admin.findUser({ id: bob })).toBeNull()
    expect((await again()).users.missing).toBe(1)
  })
})

describe('an import that deletes missing users', () => {
  it.each([
    ['an empty source', 'true', 'would delete 17 of 17 imported users, and the source has 0 users'],
    [
      'a source without many users',
      `id > '${userId('11')}'`,
      'would delete 6 of 17 imported users, and the source has 11 users',
    ],
  ])('deletes none with %s, in a dry run, too', async (_case, condition, expected) => {
    await there(`delete from auth.users where ${condition}`)

    const runs = await Promise.all(
      [false, true].map((dryRun) => again({ prune: true, dryRun }).catch(({ message }) => message)),
    )

    expect(runs).toEqual([expect.stringContaining(expected), expect.stringContaining(expected)])
    expect(await auth.rows('select id from auth.users')).toHaveLength(17)
  })

  it('deletes none of a few users with a source that has none of them', async () => {
    const own = await startTestAuth()
    await there(`delete from auth.users where id > '${userId('03')}'`)
    await importFrom(source.url, own)
    await own.auth.admin.updateUser(ada, { role: 'staff' })
    await there(`
      delete from auth.users;
      insert into auth.users (id, aud, role, email, created_at, updated_at)
      values ('${userId('99')}', 'authenticated', '', 'other@example.test', now(), now())`)

    const rejected = await importFrom(source.url, own, { prune: true }).catch(
      ({ message }) => message,
    )
    const { users } = await importFrom(source.url, own, { prune: true, pruneShare: 100 })

    expect(rejected).toContain('would delete 2 of 3 imported users, and the source has 1 users')
    expect(users).toMatchObject({ added: 1, removed: 2 })
    await own.close()
  })

  it('deletes as many as the share permits', async () => {
    await there('delete from auth.users')

    const rejected = await again({ prune: true, pruneShare: 99 }).catch(({ name }) => name)
    const { users } = await again({ prune: true, pruneShare: 100 })

    expect(rejected).toBe('SourceError')
    expect(users).toMatchObject({ missing: 17, removed: 17 })
  })
})

it('a deletion by an import is an event', async () => {
  const url = source.url
  const received: AuthEvent[] = []
  const own = await startTestAuth({ hooks: { events: (event) => void received.push(event) } })
  await importFrom(url, own)
  await there(`delete from auth.users where id = '${bob}'`)

  await importFrom(url, own, { prune: true })

  await waitFor(() => expect(received).toMatchObject([{ type: 'user.deleted', user_id: bob }]))
  await own.close()
})

/** Runs the import while a statement about users is about to be committed. */
async function againDuring(text: string, input?: ImportOptions) {
  const other = new pg.Client({ connectionString: auth.databaseUrl })
  await other.connect()
  await other.query('begin')
  await other.query(text)
  const run = again(input)
  await untilConnectionWaits()
  await other.query('commit')
  await other.end()
  return run
}

/** Resolves when a connection to the database waits for the lock of another one. */
async function untilConnectionWaits(): Promise<void> {
  await expect
    .poll(() =>
      auth.rows(`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`),
    )
    .toHaveLength(1)
}

it('a user that is changed here during their deletion is kept', async () => {
  await there(`delete from auth.users where id in ('${ada}', '${bob}')`)

  const { users } = await againDuring(
    `update auth.users set role = 'staff', updated_at = now() where id = '${bob}'`,
    { prune: true },
  )

  expect(users).toMatchObject({ missing: 2, removed: 1 })
  expect(await auth.auth.admin.findUser({ id: bob })).toMatchObject({ role: 'staff' })
})

it('a user that is deleted here while a session is imported for them remains deleted', async () => {
  await there(`
    insert into auth.sessions (id, user_id, created_at, aal)
    values ('c0000000-0000-4000-8000-000000000102', '${bob}', now(), 'aal1');
    insert into auth.refresh_tokens (token, session_id, revoked)
    values ('bobssecond22', 'c0000000-0000-4000-8000-000000000102', false)`)

  const { sessions } = await againDuring(`delete from auth.users where id = '${bob}'`)

  expect(sessions.opened).toBe(0)
  expect(await auth.auth.admin.findUser({ id: bob })).toBeNull()
})
