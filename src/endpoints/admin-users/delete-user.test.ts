import { createHash } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { givenOauthGrant } from '../../../test/support/oauth-clients.ts'
import { givenPasskey } from '../../../test/support/passkeys.ts'
import {
  type GivenSession,
  startTestAuth,
  type TestAuth,
  testPassword,
} from '../../../test/support/test-auth.ts'
import { waitFor } from '../../../test/support/wait-for.ts'

let auth: TestAuth
let token: string

beforeAll(async () => {
  auth = await startTestAuth({ passkeys: { enabled: true } })
  token = await auth.given.serviceToken('svc_admin')
})
afterAll(() => auth.close())

const unknownId = '00000000-0b57-4a39-9c39-0d3f1f7c1e0b'
const find = (id: string) => auth.get(`/admin/users/${id}`, { token })
const remove = (id: string, body?: unknown) =>
  auth.request('DELETE', `/admin/users/${id}`, { token, ...(body !== undefined && { body }) })
const hide = (id: string) => remove(id, { should_soft_delete: true })

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url')

/** Creates a signed-in user with a phone, a pending change, and a row in every table with users. */
async function givenRichUser(): Promise<GivenSession> {
  const session = await auth.given.session()
  const { id } = session.user
  await auth.auth.admin.updateUser(id, {
    phone: `4915${String(Math.random()).slice(2, 12)}`,
    phoneConfirm: true,
    userMetadata: { full_name: 'Ada' },
    appMetadata: { plan: 'pro' },
  })
  await auth.rows(`update auth.users set new_email = 'new@example.test' where id = $1`, [id])
  await auth.rows(
    `insert into auth.one_time_tokens
      (id, user_id, purpose, requested_by, sent_to, token_hash, code_hash, expires_at, created_at)
     select gen_random_uuid(), $1, 'recovery', 'recover', 'x', repeat('a', 43), repeat('b', 43), now(), now()`,
    [id],
  )
  await auth.rows(
    `insert into auth.authorization_codes
      (id, user_id, code_hash, code_challenge, code_challenge_method, method, sealed_tokens, expires_at, created_at)
     select gen_random_uuid(), $1::uuid, md5($1::text), 'x', 's256',
      'otp', null, now(), now()`,
    [id],
  )
  await auth.rows(
    `insert into auth.outbox_messages (id, user_id, channel, kind, recipient, status, attempts,
      created_at) select gen_random_uuid(), $1, 'email', 'recovery', 'x', 'sent', 1, now()`,
    [id],
  )
  await auth.rows(
    `insert into auth.trusted_devices (id, user_id, secret_hash, created_at, last_used_at, expires_at)
      select gen_random_uuid(), $1, repeat('a', 64), now(), now(), now()`,
    [id],
  )
  const { api } = auth.auth
  await api.enrollFactor({ accessToken: session.accessToken, factorType: 'totp' })
  await givenPasskey(auth, id)
  await givenOauthGrant(auth, id)
  await api.startPasskeyRegistration({ accessToken: session.accessToken })
  return session
}

/** The number of rows of each table about a user. */
async function rowsAbout(id: string): Promise<Record<string, number>> {
  const tables = await auth.rows<{ name: string }>(
    `select table_name as name from information_schema.columns
      where table_schema = 'auth' and column_name = 'user_id' and table_name <> 'audit_entries'`,
  )
  const counted: Record<string, number> = {}
  for (const { name } of tables) {
    const rows = await auth.rows(`select 1 from auth.${name} where user_id = $1`, [id])
    counted[name] = rows.length
  }
  return counted
}

const nothingBut = (kept: object) => ({
  identities: 0,
  sessions: 0,
  factors: 0,
  passkeys: 0,
  trusted_devices: 0,
  oauth_consents: 0,
  oauth_authorizations: 0,
  web_authn_challenges: 0,
  one_time_tokens: 0,
  authorization_codes: 0,
  outbox_messages: 0,
  ...kept,
})

const deletionsOf = (id: string) =>
  auth.rows(
    `select actor_id, actor_role, traits from auth.audit_entries where action = 13 and user_id = $1`,
    [id],
  )

describe('deleting a user', () => {
  it('removes all their data except their audit entries, and records which user was deleted', async () => {
    const { user } = await givenRichUser()
    const { phone } = await auth.auth.admin.getUser(user.id)
    const before = await rowsAbout(user.id)

    const answer = await remove(user.id.toUpperCase())

    expect([answer.status, answer.body]).toEqual([200, {}])
    expect(Object.values(before)).not.toContain(0)
    expect(await rowsAbout(user.id)).toEqual(nothingBut({}))
    expect((await find(user.id)).body.error_code).toBe('user_not_found')
    expect(await deletionsOf(user.id)).toEqual([
      {
        actor_id: null,
        actor_role: 'svc_admin',
        traits: { user_email: user.email, user_phone: phone },
      },
    ])
    const did = await auth.rows('select 1 from auth.audit_entries where actor_id = $1', [user.id])
    expect(did).toHaveLength(2)
  })

  it('frees the address', async () => {
    const { id, email } = await auth.given.user()
    await remove(id)

    const again = await auth.post('/admin/users', { email }, { token })

    expect(again.status).toBe(200)
  })

  it.each([
    ['no body', undefined],
    ['null', 'null'],
    ['an empty object', {}],
    ['false', { should_soft_delete: false }],
    ['null for the flag', { should_soft_delete: null }],
  ])('is permanent with %s', async (_case, body) => {
    const { id } = await auth.given.user()

    expect((await remove(id, body)).status).toBe(200)
    expect(await auth.rows('select 1 from auth.users where id = $1', [id])).toEqual([])
  })

  it.each([
    ['no JSON', '{', 400, 'bad_json'],
    ['a list', [], 400, 'bad_json'],
    ['a flag that is text', { should_soft_delete: 'true' }, 400, 'bad_json'],
  ])('is rejected for %s', async (_case, body, status, code) => {
    const { id } = await auth.given.user()

    const answer = await remove(id, body)

    expect([answer.status, answer.body.error_code]).toEqual([status, code])
    expect((await find(id)).status).toBe(200)
  })

  it.each([
    ['nobody', unknownId, [404, 'user_not_found']],
    ['an invalid UUID', 'ada', [404, 'validation_failed']],
  ])('is rejected for %s, and not recorded', async (_case, id, expected) => {
    const answers = [await remove(id), await hide(id)]

    for (const { status, body } of answers) expect([status, body.error_code]).toEqual(expected)
    expect(await deletionsOf(unknownId)).toEqual([])
  })

  it('succeeds once among concurrent requests', async () => {
    const { id } = await auth.given.user()

    const answers = await Promise.all(Array.from({ length: 5 }, () => remove(id)))

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404, 404])
    expect(await deletionsOf(id)).toHaveLength(1)
  })
})

describe('a soft deletion', () => {
  it('keeps the row, without personal data', async () => {
    const { user } = await givenRichUser()
    const before = (await find(user.id)).body
    auth.clock.advance(60)

    const answer = await hide(user.id)
    const { body: after } = await find(user.id)

    const now = auth.clock.now().toISOString()
    expect([answer.status, answer.body]).toEqual([200, {}])
    expect(after).toEqual({
      ...before,
      factors: undefined,
      email: sha256(user.id + before.email),
      phone: sha256(user.id + before.phone).slice(0, 15),
      new_email: sha256(`${user.id}new@example.test`),
      new_phone: sha256(user.id).slice(0, 15),
      user_metadata: {},
      app_metadata: {},
      deleted_at: now,
      updated_at: now,
      identities: before.identities.map((identity: { provider: string; id: string }) => {
        const { email: _email, ...kept } = identity as { email?: string }
        const id = sha256(`${user.id}${identity.provider}:${identity.id}`)
        return { ...kept, id, identity_data: {}, updated_at: now }
      }),
    })
    expect(await rowsAbout(user.id)).toEqual(nothingBut({ identities: 2 }))
    const emails = await auth.rows('select email from auth.identities where user_id = $1', [
      user.id,
    ])
    expect(emails).toEqual([{ email: null }, { email: null }])
    expect(
      JSON.stringify(await auth.rows('select * from auth.users where id = $1', [user.id])),
    ).not.toMatch(/argon2|"Ada"|example\.test/)
  })

  it('removes the sign-up origin', async () => {
    const { id } = await auth.auth.admin.createUser({ email: 'unproved@example.test' })
    await auth.rows(
      `update auth.users set registered_by = 'signup', registered_from = 'a client',
         registered_keys = '["a key of their own"]' where id = $1`,
      [id],
    )

    await hide(id)

    const [row] = await auth.rows(
      'select registered_by, registered_from, registered_keys from auth.users where id = $1',
      [id],
    )
    expect(Object.values(row ?? {})).toEqual([null, null, null])
  })

  it('stores a placeholder for an address that the user never had, too', async () => {
    const { body: made } = await auth.post('/admin/users', { phone: '4915777001' }, { token })

    await hide(made.id)

    expect((await find(made.id)).body.email).toBe(sha256(made.id))
  })

  it("ends the user's access, and releases the addresses", async () => {
    const { user, accessToken, refreshToken } = await auth.given.session()
    const { email } = user

    await hide(user.id)

    const answers = [
      await auth.get('/user', { token: accessToken }),
      await auth.post('/token?grant_type=refresh_token', { refresh_token: refreshToken }),
      await auth.post('/token?grant_type=password', { email, password: testPassword }),
    ]
    expect(answers.map(({ body }) => body.error_code)).toEqual([
      'user_not_found',
      'refresh_token_not_found',
      'invalid_credentials',
    ])
    const again = await auth.post('/admin/users', { email }, { token })
    expect(again.status).toBe(200)
    expect(again.body.id).not.toBe(user.id)
  })

  it('changes nothing a second time, and may be followed by a permanent one', async () => {
    const { id } = await auth.given.user()
    await hide(id)
    const { body: before } = await find(id)
    auth.clock.advance(60)

    const second = await hide(id)
    const { body: after } = await find(id)
    const recorded = await deletionsOf(id)
    const last = await remove(id)

    expect([second.status, last.status]).toEqual([200, 200])
    expect(after).toEqual(before)
    expect(recorded).toHaveLength(1)
    expect((await find(id)).status).toBe(404)
  })
})

it('a soft deletion includes the identity that a concurrent request stores', async () => {
  const { user } = await auth.given.session()
  const other = new pg.Client({ connectionString: auth.databaseUrl })
  await other.connect()
  await other.query('begin')
  await other.query('update auth.users set version = version + 1 where id = $1', [user.id])
  await other.query(
    `insert into auth.identities (id, user_id, provider, subject, identity_data, created_at, updated_at)
      values (gen_random_uuid(), $1, 'keycloak', 'kc-1', '{"name": "Ada"}', now(), now())`,
    [user.id],
  )
  const hiding = hide(user.id)
  await waitFor(async () => {
    const waiting = await auth.rows(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    expect(waiting).toHaveLength(1)
  })
  await other.query('commit')
  await other.end()

  expect((await hiding).status).toBe(200)
  const identities = await auth.rows<{ subject: string; identity_data: object }>(
    'select subject, identity_data from auth.identities where user_id = $1',
    [user.id],
  )
  expect(identities.map(({ identity_data }) => identity_data)).toEqual([{}, {}])
  expect(identities.map(({ subject }) => subject)).not.toContain('kc-1')
})
