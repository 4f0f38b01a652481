import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TestDatabase } from '../../../test/support/database.ts'
import { type ImportOptions, importFrom } from '../../../test/support/gotrue/import-from.ts'
import { createSourceDatabase } from '../../../test/support/gotrue/source-database.ts'
import { asOauthServer } from '../../../test/support/oauth-clients.ts'
import { runSql } from '../../../test/support/sql.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { importCustomProviders } from '../../capabilities/custom-providers/import-custom-providers.ts'
import { importOauthServer } from '../../capabilities/oauth-server/import-oauth-server.ts'

// Attacks of users of the source, and of writers of its database, on the import and the service.

let source: TestDatabase
let auth: TestAuth

beforeEach(async () => {
  source = await createSourceDatabase('layout.sql')
  auth = await startTestAuth(asOauthServer)
})
afterEach(async () => {
  await auth.close()
  await source.drop()
})

const there = (sql: string) => runSql(source.url, sql)

const run = (options: ImportOptions = {}) =>
  importFrom(source.url, auth, { parts: [importOauthServer, importCustomProviders], ...options })

const userId = (number: number) => `a0000000-0000-4000-8000-${String(number).padStart(12, '0')}`

/** Adds users from 1 to this number, who have the password "correct horse". */
const givenUsers = (count: number) =>
  there(`
    insert into auth.users (id, aud, role, email, encrypted_password, email_confirmed_at, raw_app_meta_data,
      raw_user_meta_data, created_at, updated_at)
    select ('a0000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'authenticated', 'authenticated',
      'member' || n || '@example.test', '$2a$04$uKSxNkbPAR2vaSA9qr8ase7EkNrM3apGy6erhhBIWTMBHKLAkME/m',
      now(), '{}', '{}', now(), now() from generate_series(1, ${count}) n`)

const signIn = (number: number) =>
  auth.post('/token?grant_type=password', {
    email: `member${number}@example.test`,
    password: 'correct horse',
  })

/** SQL that allows the source any text, and rows twice. */
const withoutConstraints = `
  drop index auth.users_email_partial_key, auth.mfa_factors_user_friendly_name_unique;
  alter table auth.users drop constraint users_phone_key, alter email type text, alter role type text,
    alter aud type text;
  alter table auth.identities drop constraint identities_provider_id_provider_key;
  alter table auth.webauthn_credentials drop constraint webauthn_credentials_credential_id_key`

/** SQL for a text that no index can contain: it cannot be compressed. */
const longText = `(select string_agg(md5(n::text), '') from generate_series(1, 600) n)`

const first = userId(1)

const withIdentity = (provider: string, subject: string, data: string) =>
  `insert into auth.identities (provider, provider_id, user_id, identity_data)
   values ('${provider}', ${subject}, '${first}', ${data});`

it('an email identity has the id of its user as subject, whatever the source contains', async () => {
  await givenUsers(2)
  await there(withoutConstraints)
  await there(withIdentity('email', `'${userId(2)}'`, `'{"email":"member1@example.test"}'`))

  await run()

  const rows = await auth.rows(
    `select user_id, subject from auth.identities where provider = 'email' order by user_id`,
  )
  expect(rows).toContainEqual({ user_id: first, subject: first })
  expect(rows.filter(({ user_id, subject }) => user_id !== subject)).toEqual([])
})

describe('S101: a user whose data cannot be stored is rejected, and the others are imported', () => {
  it.each([
    ['phone', `update auth.users set phone = ${longText} where id = '${first}'`],
    ['email', `update auth.users set email = ${longText} where id = '${first}'`],
    ['role', `update auth.users set role = ${longText} where id = '${first}'`],
    ['aud', `update auth.users set aud = ${longText} where id = '${first}'`],
    ['identities.provider_id', withIdentity('github', longText, `'{}'`)],
    ['identities.email', withIdentity('github', `'1'`, `jsonb_build_object('email', ${longText})`)],
  ])('with a too long %s', async (field, change) => {
    await givenUsers(2)
    await there(withoutConstraints)

    await there(change)
    const { users, losses } = await run()

    expect(users).toMatchObject({ added: 1, refused: 1 })
    expect(losses).toEqual({ [`user: ${field} is too large`]: 1 })
    expect((await signIn(2)).status).toBe(200)
  })

  it('with an identity twice', async () => {
    await givenUsers(2)
    await there(withoutConstraints)
    await there(withIdentity('github', `'1'`, `'{}'`).repeat(2))

    const { users, losses } = await run()

    expect(users).toMatchObject({ added: 1, refused: 1 })
    expect(losses).toEqual({ 'user: identity_already_exists': 1 })
  })
})

describe('S101: data of a user that cannot be stored', () => {
  it('do not end the import: tokens, names of factors, ids of credentials', async () => {
    await givenUsers(1)
    await there(withoutConstraints)
    await there(`
      insert into auth.sessions (id, user_id, created_at, aal) values ('${userId(7)}', '${first}', now(), 'aal1');
      insert into auth.refresh_tokens (token, revoked, session_id) values (null, false, '${userId(7)}');
      insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret)
        values ('${userId(8)}', '${first}', ${longText}, 'totp', 'verified', now(), now(), 'JBSWY3DPEHPK3PXP');
      insert into auth.webauthn_credentials (user_id, credential_id, public_key)
        values ('${first}', convert_to(${longText}, 'utf8'), '\\x00')`)

    const { users, factors, losses } = await run()

    expect([users.added, factors.added]).toEqual([1, 1])
    expect(losses).toEqual({ 'session: unrenewable': 1, 'passkey: unknown credential': 1 })
  })

  it('do not end the import: times of OAuth clients and consents, mappings of providers', async () => {
    await givenUsers(1)
    await there(`
      insert into auth.oauth_clients (id, registration_type, redirect_uris, grant_types, client_name, client_type,
        token_endpoint_auth_method, created_at)
      values ('${userId(5)}', 'manual', 'https://client.example.test/cb', 'authorization_code', 'C', 'public',
        'none', 'infinity');
      insert into auth.oauth_consents (id, user_id, client_id, scopes, granted_at)
      values ('${userId(6)}', '${first}', '${userId(5)}', 'openid email', 'infinity');
      insert into auth.custom_oauth_providers (provider_type, identifier, name, client_id, client_secret,
        authorization_url, token_url, userinfo_url, attribute_mapping)
      values ('oauth2', 'custom:club', 'Club', 'id', 'secret', 'https://8.8.8.8/a', 'https://8.8.8.8/t',
        'https://8.8.8.8/u', '["email"]')`)

    const { applications, losses } = await run()
    const { body } = await signIn(1)
    const grants = await auth.get('/user/oauth/grants', { token: body.access_token })

    expect(applications).toEqual({ oauthClients: 1, oauthConsents: 1, customProviders: 0 })
    expect(losses).toEqual({ 'custom provider: attribute_mapping not permitted': 1 })
    expect(grants.body).toMatchObject([{ granted_at: '9999-12-31T23:59:59.999Z' }])
  })

  it('of a table of users without its primary key are rejected, as some would be lost', async () => {
    await givenUsers(1)
    await there('alter table auth.users drop constraint users_pkey cascade')
    await there(`insert into auth.users (id, email) values ('${first}', 'other@example.test')`)

    await expect(run()).rejects.toThrow('contains an id more than once')
  })
})

it('S102: no user of the source becomes an operator or a viewer of the console', async () => {
  await givenUsers(3)
  await there(`
    update auth.users set role = 'service_role', is_super_admin = true,
      raw_app_meta_data = '{"role": "service_role", "roles": ["service_role"]}' where id = '${first}';
    update auth.users set role = 'console_viewer' where id = '${userId(2)}';
    update auth.users set role = 'editor' where id = '${userId(3)}'`)

  const { losses, reportedLosses } = await run()
  const { body } = await signIn(1)

  expect(losses).toEqual({ 'role: of operators': 2 })
  expect(reportedLosses).toContainEqual({ userId: first, what: 'role', reason: 'of operators' })
  expect((await auth.get('/admin/users', { token: body.access_token })).status).toBe(403)
  expect(await auth.rows('select role from auth.users order by id')).toEqual(
    ['authenticated', 'authenticated', 'editor'].map((role) => ({ role })),
  )
})

describe('S104: an identity of the source with the id of an identity of another user', () => {
  const ownersOfSubject = () =>
    auth.rows(
      `select user_id from auth.identities where provider = 'github' and subject = 'attacker'`,
    )

  it('is rejected, and that identity stays as it is', async () => {
    await givenUsers(1)
    await there(withIdentity('github', `'attacker'`, `'{}'`))
    await run()
    const { user } = await auth.given.session()
    await auth.rows(
      `insert into auth.identities (id, user_id, provider, subject, identity_data, created_at, updated_at)
       values ($1, $2, 'github', 'victim', '{}', now(), now())`,
      [userId(9), user.id],
    )

    await there(`update auth.identities set id = '${userId(9)}'`)
    const { users, losses } = await run()

    expect(users).toMatchObject({ updated: 0, refused: 1 })
    expect(losses).toEqual({ 'change: identity_already_exists': 1 })
    expect(await ownersOfSubject()).toEqual([{ user_id: first }])
    expect(
      await auth.rows('select user_id, subject from auth.identities where id = $1', [userId(9)]),
    ).toEqual([{ user_id: user.id, subject: 'victim' }])
  })

  it('is rejected where two users of the source exchanged ids', async () => {
    await givenUsers(2)
    await there(`
      ${withIdentity('github', `'attacker'`, `'{}'`)}
      insert into auth.identities (id, provider, provider_id, user_id, identity_data)
      values ('${userId(8)}', 'github', 'other', '${userId(2)}', '{}')`)
    await run()

    await there(`
      alter table auth.identities drop constraint identities_pkey;
      update auth.identities set id = (select o.id from auth.identities o where o.user_id <> identities.user_id)`)
    await run()

    expect(await ownersOfSubject()).toEqual([{ user_id: first }])
  })
})

describe('S103: a user of the source who fills the memory of the import', () => {
  it('by user agents of many sessions: they are stored as short as any other', async () => {
    await givenUsers(1)
    await there(`
      insert into auth.sessions (id, user_id, created_at, aal, user_agent, tag)
      select gen_random_uuid(), '${first}', now(), 'aal1', repeat('u', 280000), repeat('t', 280000)
        from generate_series(1, 1000);
      insert into auth.refresh_tokens (token, revoked, session_id)
      select left(md5(id::text), 12), false, id from auth.sessions`)

    const { sessions } = await run()

    expect(sessions.opened).toBe(1000)
    expect(
      await auth.rows(
        'select distinct length(user_agent) as ua, length(tag) as tag from auth.sessions',
      ),
    ).toEqual([{ ua: 512, tag: 512 }])
  })

  it('by metadata of many users: few of these are read at once, and none is skipped', async () => {
    await givenUsers(60)
    await there(`
      update auth.users set raw_user_meta_data = jsonb_build_object('a', repeat('x', 1000000))
        where id <> '${userId(30)}' and id <> '${userId(60)}'`)

    const steps: number[] = []
    const { users, losses } = await run({ onProgress: ({ done }) => steps.push(done) })

    expect(users).toMatchObject({ added: 2, refused: 58 })
    expect(losses).toEqual({ 'user: user_metadata is too large': 58 })
    expect(Math.max(...steps.map((done, at) => done - (steps[at - 1] ?? 0)))).toBeLessThan(20)
    expect((await run({ prune: true })).users).toMatchObject({ missing: 0, removed: 0 })
  })
})

const oauthClient = `
  insert into auth.oauth_clients (id, registration_type, redirect_uris, grant_types, client_name,
    client_type, token_endpoint_auth_method, created_at)
  values ('${userId(5)}', 'manual', 'https://client.example.test/cb', 'authorization_code', 'C',
    'public', 'none', now());`

it.each([
  [
    'a consent without scopes',
    `alter table auth.oauth_consents alter scopes drop not null; ${oauthClient}
     insert into auth.oauth_consents (id, user_id, client_id, scopes, granted_at)
     values ('${userId(6)}', '${first}', '${userId(5)}', null, now())`,
  ],
  [
    'a client twice',
    `alter table auth.oauth_clients drop constraint oauth_clients_pkey cascade;
     ${oauthClient}${oauthClient}`,
  ],
  [
    'a provider without a name',
    `alter table auth.custom_oauth_providers alter identifier drop not null;
     insert into auth.custom_oauth_providers (provider_type, identifier, name, client_id, client_secret,
       authorization_url, token_url, userinfo_url)
     values ('oauth2', null, 'Club', 'id', 's', 'https://8.8.8.8/a', 'https://8.8.8.8/t', 'https://8.8.8.8/u')`,
  ],
  [
    'a consent without an id',
    `alter table auth.oauth_consents drop constraint oauth_consents_pkey;
     alter table auth.oauth_consents alter id drop not null; ${oauthClient}
     insert into auth.oauth_consents (id, user_id, client_id, scopes, granted_at)
     values (null, '${first}', '${userId(5)}', 'openid', now())`,
  ],
  [
    'a provider without a secret',
    `alter table auth.custom_oauth_providers alter client_secret drop not null;
     insert into auth.custom_oauth_providers (provider_type, identifier, name, client_id, client_secret,
       authorization_url, token_url, userinfo_url)
     values ('oauth2', 'custom:club', 'Club', 'id', null, 'https://8.8.8.8/a', 'https://8.8.8.8/t', 'https://8.8.8.8/u')`,
  ],
])('%s ends no import', async (_what, rows) => {
  await givenUsers(2)
  await there(rows)

  expect((await run()).users.added).toBe(2)
})
