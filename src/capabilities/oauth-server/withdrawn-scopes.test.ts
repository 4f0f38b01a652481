import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  asOauthServer,
  claimsIn,
  type GivenClient,
  oauthOf,
} from '../../../test/support/oauth-clients.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'

let auth: TestAuth
let oauth: ReturnType<typeof oauthOf>

beforeAll(async () => {
  auth = await startTestAuth(asOauthServer)
  oauth = oauthOf(auth)
})
afterAll(() => auth.close())

const permit = async ({ id }: GivenClient, allowed_scopes: string[]) => {
  const token = await auth.given.serviceToken()
  const { status } = await auth.put(`/admin/oauth/clients/${id}`, { allowed_scopes }, { token })
  expect(status).toBe(200)
}

it('S139: a client loses the scopes that an operator withdraws', async () => {
  const { accessToken } = await auth.given.session()
  const [client, other] = [await oauth.client(), await oauth.client()]
  const scope = 'profile email phone'
  const before = await oauth.tokens(client, accessToken, { scope })
  const ofOther = await oauth.tokens(other, accessToken, { scope })
  await permit(client, ['email', 'profile'])

  const after = await oauth.refresh(client, before.refresh_token)
  const beyond = await oauth.refresh(client, after.body.refresh_token, { scope })

  expect(after).toMatchObject({ status: 200, body: { scope: 'profile email' } })
  expect(claimsIn(after.body.access_token)).toMatchObject({ scope: 'profile email' })
  expect(beyond).toMatchObject({ status: 400, body: { error: 'invalid_scope' } })
  expect((await oauth.refresh(other, ofOther.refresh_token)).body).toMatchObject({ scope })
})

it('S139: a session without a permitted scope ends', async () => {
  const { accessToken } = await auth.given.session()
  const client = await oauth.client()
  const [phone, email] = [
    await oauth.tokens(client, accessToken, { scope: 'phone' }),
    await oauth.tokens(client, accessToken, { scope: 'email' }),
  ]
  await permit(client, ['email'])

  expect((await oauth.refresh(client, phone.refresh_token)).body.error).toBe('invalid_grant')
  expect((await oauth.refresh(client, email.refresh_token)).status).toBe(200)
})

it('S139: a code that was issued before contains no withdrawn scope', async () => {
  const { accessToken } = await auth.given.session()
  const client = await oauth.client()
  const [phone, email] = [
    await oauth.code(client, accessToken, { scope: 'email phone' }),
    await oauth.code(client, accessToken, { scope: 'email' }),
  ]
  await permit(client, ['email'])

  expect((await oauth.exchange(client, phone)).body.error).toBe('invalid_grant')
  expect((await oauth.exchange(client, email)).body.scope).toBe('email')
})

it('S139: a repeated request completes a withdrawal that failed', async () => {
  const { accessToken } = await auth.given.session()
  const client = await oauth.client()
  const { refresh_token: token } = await oauth.tokens(client, accessToken, { scope: 'email phone' })
  await auth.rows(`update auth.oauth_clients set allowed_scopes = '["email"]' where id = $1`, [
    client.id,
  ])
  await permit(client, ['email'])

  expect((await oauth.refresh(client, token)).body.scope).toBe('email')
})

it('S139: a request that crossed the withdrawal is not exchanged', async () => {
  const { accessToken } = await auth.given.session()
  const client = await oauth.client()
  const code = await oauth.code(client, accessToken, { scope: 'email phone' })
  await auth.rows(`update auth.oauth_clients set allowed_scopes = '["email"]' where id = $1`, [
    client.id,
  ])

  expect((await oauth.exchange(client, code)).body.error).toBe('invalid_grant')
})

it('S139: the user decides again about a scope that is permitted again', async () => {
  const { accessToken } = await auth.given.session()
  const client = await oauth.client()
  await oauth.tokens(client, accessToken, { scope: 'email phone' })
  await permit(client, ['email'])
  const grants = await auth.get('/user/oauth/grants', { token: accessToken })
  await permit(client, ['email', 'phone'])
  const open = async (scope: string) =>
    (await oauth.open(await oauth.begin(client, { scope }), accessToken)).body.redirect_url

  expect(grants.body).toMatchObject([{ scopes: ['email'] }])
  expect(await open('email')).toEqual(expect.any(String))
  expect(await open('email phone')).toBeUndefined()
})

it('S139: the client is informed of the sessions that end, and the grant ends with them', async () => {
  const { accessToken, user } = await auth.given.session()
  const client = await oauth.client({ backchannel_logout_uri: 'https://client.example.test/out' })
  await oauth.tokens(client, accessToken, { scope: 'phone' })
  await permit(client, ['email'])

  const reports = await auth.rows(
    `select body from auth.outbox_messages where kind = 'oauth_logout' and recipient = $1`,
    [user.id],
  )
  expect(reports).toEqual([{ body: expect.stringContaining(client.id) }])
  expect((await auth.get('/user/oauth/grants', { token: accessToken })).body).toEqual([])
})

it('S139: the user can end a session of an earlier consent whose scopes are permitted', async () => {
  const { accessToken: token } = await auth.given.session()
  const client = await oauth.client()
  const { refresh_token: earlier } = await oauth.tokens(client, token, { scope: 'email profile' })
  await oauth.tokens(client, token, { scope: 'phone' })
  await permit(client, ['email'])
  const grants = await auth.get('/user/oauth/grants', { token })
  const ended = await auth.request('DELETE', `/user/oauth/grants?client_id=${client.id}`, {
    token,
  })

  expect(grants.body).toMatchObject([{ scopes: ['email'] }])
  expect(ended.status).toBe(204)
  expect((await oauth.refresh(client, earlier)).body.error).toBe('invalid_grant')
})

it('S139: a code that was used before still ends its session when it is replayed', async () => {
  const { accessToken } = await auth.given.session()
  const client = await oauth.client()
  const code = await oauth.code(client, accessToken, { scope: 'email phone' })
  const { body } = await oauth.exchange(client, code)
  await permit(client, ['email'])
  await oauth.exchange(client, code)

  expect((await oauth.refresh(client, body.refresh_token)).body.error).toBe('invalid_grant')
})

it('S139: a request that crossed the withdrawal is not approved', async () => {
  const { accessToken } = await auth.given.session()
  const client = await oauth.client()
  const id = await oauth.begin(client, { scope: 'email phone' })
  await auth.rows(`update auth.oauth_clients set allowed_scopes = '["email"]' where id = $1`, [
    client.id,
  ])
  await oauth.open(id, accessToken)

  expect((await oauth.decide(id, accessToken)).status).toBe(404)
})

describe('S145: scopes that a user deselects', () => {
  const scope = 'email profile phone'
  const grantsOf = async (token: string) => (await auth.get('/user/oauth/grants', { token })).body
  /** Requests the scopes again; the user approves some. Returns the code. */
  const approveOnly = async (client: GivenClient, token: string, granted: string, on = oauth) => {
    const id = await on.begin(client, { scope, prompt: 'consent' })
    await on.open(id, token)
    const { status, body } = await on.decide(id, token, { action: 'approve', scope: granted })
    expect(status).toBe(200)
    return new URL(body.redirect_url).searchParams.get('code') ?? ''
  }

  it('are withdrawn from the earlier sessions of the client', async () => {
    const { accessToken } = await auth.given.session()
    const { accessToken: other } = await auth.given.session()
    const client = await oauth.client()
    const earlier = await oauth.tokens(client, accessToken, { scope })
    const ofOther = await oauth.tokens(client, other, { scope })
    const code = await approveOnly(client, accessToken, 'email')

    expect((await oauth.refresh(client, earlier.refresh_token)).body.scope).toBe('email')
    expect((await oauth.exchange(client, code)).body.scope).toBe('email')
    expect((await oauth.refresh(client, ofOther.refresh_token)).body.scope).toBe(scope)
    expect(await grantsOf(accessToken)).toMatchObject([{ scopes: ['email'] }])
  })

  it('are not in a token whose claims the hook of the application computes meanwhile', async () => {
    let deselect: (() => Promise<unknown>) | null = null
    const hooked = await startTestAuth({
      ...asOauthServer,
      hooks: {
        customAccessToken: async ({ claims, authentication_method: method }) => {
          if (method === 'token_refresh') await deselect?.()
          return { claims: { ...claims, tier: 'gold' } }
        },
      },
    })
    const on = oauthOf(hooked)
    const { accessToken } = await hooked.given.session()
    const client = await on.client()
    const earlier = await on.tokens(client, accessToken, { scope })
    deselect = () => approveOnly(client, accessToken, 'email', on)

    const { body } = await on.refresh(client, earlier.refresh_token)
    await hooked.close()

    expect(body.scope).toBe('email')
    expect(claimsIn(body.access_token)).toMatchObject({ scope: 'email', tier: 'gold' })
  })

  it('end a session without another one, and a code that was not exchanged', async () => {
    const { accessToken } = await auth.given.session()
    const client = await oauth.client()
    const earlier = await oauth.tokens(client, accessToken, { scope: 'phone' })
    const code = await oauth.code(client, accessToken, { scope: 'email phone' })
    await approveOnly(client, accessToken, 'email profile')

    expect((await oauth.refresh(client, earlier.refresh_token)).body.error).toBe('invalid_grant')
    expect((await oauth.exchange(client, code)).body.error).toBe('invalid_grant')
  })

  it('are not those that the client does not request again, which the list of grants contains', async () => {
    const { accessToken } = await auth.given.session()
    const client = await oauth.client()
    const earlier = await oauth.tokens(client, accessToken, { scope })
    await oauth.tokens(client, accessToken, { scope: 'email', prompt: 'consent' })

    expect((await oauth.refresh(client, earlier.refresh_token)).body.scope).toBe(scope)
    const [grant] = await grantsOf(accessToken)
    expect(grant.scopes.toSorted()).toEqual(scope.split(' ').toSorted())
  })

  it('are not in the list of grants once the session that had them has ended', async () => {
    const { accessToken, user } = await auth.given.session()
    const client = await oauth.client()
    await oauth.tokens(client, accessToken, { scope })
    await auth.rows(
      `update auth.sessions set not_after = created_at where user_id = $1 and oauth_client_id = $2`,
      [user.id, client.id],
    )
    await oauth.tokens(client, accessToken, { scope: 'email', prompt: 'consent' })

    expect(await grantsOf(accessToken)).toMatchObject([{ scopes: ['email'] }])
  })
})

it('S145: a consent that changes while a request repeats it approves nothing', async () => {
  const { accessToken, user } = await auth.given.session()
  const client = await oauth.client()
  const scope = 'email phone'
  await oauth.tokens(client, accessToken, { scope })
  const id = await oauth.begin(client, { scope })
  const locker = new pg.Client({ connectionString: auth.databaseUrl })
  await locker.connect()
  await locker.query('begin')
  await locker.query('update auth.oauth_consents set scopes = $2 where user_id = $1', [
    user.id,
    '["email"]',
  ])
  const opening = oauth.open(id, accessToken)
  const blocked = `select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  await expect.poll(() => auth.rows(blocked)).toHaveLength(1)
  await locker.query('commit')
  await locker.end()

  expect((await opening).body).not.toHaveProperty('redirect_url')
})

it('S145: a withdrawn scope is not found in a token that was issued before, where its session is read', async () => {
  const { accessToken } = await auth.given.session()
  const client = await oauth.client()
  const { access_token: token } = await oauth.tokens(client, accessToken, { scope: 'email phone' })
  await permit(client, ['email'])
  const request = new Request('https://app.example.test', {
    headers: { authorization: `Bearer ${token}` },
  })
  const needs = (scope: string) =>
    auth.auth.requireUser(request, { scope }).catch(({ code }) => code)
  const described = await oauth.form('/oauth/introspect', { token }, client)

  expect(described.body).toMatchObject({ active: true, scope: 'email' })
  expect(await needs('phone')).toBe('insufficient_scope')
  expect(await needs('email')).toMatchObject({ user: { email: expect.any(String) } })
})
