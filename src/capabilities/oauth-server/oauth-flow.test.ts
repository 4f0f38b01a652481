import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  asOauthServer,
  callback,
  claimsIn,
  headerOf,
  locationOf,
  oauthOf,
  verifier,
} from '../../../test/support/oauth-clients.ts'
import { secondFactors } from '../../../test/support/second-factors.ts'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'
import { waitFor } from '../../../test/support/wait-for.ts'
import { maxConsents } from './authorize/decide-authorization.sql.ts'
import { commonGrants, tokenExchangeGrant } from './protocol/grant-types.ts'

let auth: TestAuth
let oauth: ReturnType<typeof oauthOf>

beforeAll(async () => {
  auth = await startTestAuth(asOauthServer)
  oauth = oauthOf(auth)
})
afterAll(() => auth.close())

describe('the authorization code flow', () => {
  it('ends in tokens of the client, with the issuer in its redirect', async () => {
    const client = await oauth.client()
    const ada = await auth.given.session()
    const id = await oauth.begin(client, { scope: 'openid email', nonce: 'n1' })
    const details = await oauth.open(id, ada.accessToken)
    const decided = await oauth.decide(id, ada.accessToken)
    const target = new URL(decided.body.redirect_url)
    const answer = await oauth.exchange(client, target.searchParams.get('code') ?? '')

    expect(details.body).toMatchObject({
      authorization_id: id,
      client: { id: client.id, name: 'Notes' },
      user: { id: ada.user.id },
      scope: 'openid email',
    })
    expect(target.searchParams.get('iss')).toBe('https://auth.example.test')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(claimsIn(answer.body.access_token)).toMatchObject({
      sub: ada.user.id,
      client_id: client.id,
      scope: 'openid email',
      aal: 'aal1',
    })
    expect(claimsIn(answer.body.id_token)).toMatchObject({
      sub: ada.user.id,
      aud: client.id,
      iss: 'https://auth.example.test',
      nonce: 'n1',
      email: ada.user.email,
    })
  })

  it('of a resource ends in tokens for it alone, also after a refresh (RFC 9700 §4.9)', async () => {
    const client = await oauth.client()
    const { accessToken, user } = await auth.given.session()
    const resource = 'https://mcp.example.test/mcp'
    const tokens = await oauth.tokens(client, accessToken, { resource })
    const refreshed = await oauth.refresh(client, tokens.refresh_token)

    for (const token of [tokens.access_token, refreshed.body.access_token]) {
      const claims = claimsIn(token)
      // RFC 9068 §2.2 requires an issuer, which tokens of users have by a setting only.
      const iss = 'https://auth.example.test'
      expect(claims).toMatchObject({ iss, aud: resource, sub: user.id, jti: expect.any(String) })
      expect(Object.keys(claims)).not.toContain('email')
      expect(Object.keys(claims)).not.toContain('user_metadata')
      expect(headerOf(token)).toMatchObject({ typ: 'at+jwt' })
    }
    const token = refreshed.body.access_token
    expect((await auth.get('/user', { token })).status).toBe(403)
    const described = await auth.get('/oauth/userinfo', { token })
    expect([described.status, described.body.error]).toEqual([401, 'invalid_token'])
    const other = await oauth.refresh(client, refreshed.body.refresh_token, {
      resource: 'https://other.example.test',
    })
    expect([other.status, other.body.error]).toEqual([400, 'invalid_target'])
  })

  it('consumes a code once, of 20 requests at once (RFC 9700 §4.3)', async () => {
    const client = await oauth.client()
    const { accessToken } = await auth.given.session()
    const code = await oauth.code(client, accessToken)

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => oauth.exchange(client, code)),
    )

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ body }) => body.error === 'invalid_grant')).toHaveLength(19)
  })

  it('ends the session of a code that is used again, but not for another client', async () => {
    const [client, other] = [await oauth.client(), await oauth.client()]
    const { accessToken } = await auth.given.session()
    const code = await oauth.code(client, accessToken)
    const { body } = await oauth.exchange(client, code)
    const isAlive = async () =>
      (await auth.get('/oauth/userinfo', { token: body.access_token })).status === 200

    const byOther = await oauth.exchange(other, code)
    expect([byOther.body.error, await isAlive()]).toEqual(['invalid_grant', true])
    const again = await oauth.exchange(client, code)
    expect([again.body.error, await isAlive()]).toEqual(['invalid_grant', false])
    expect((await oauth.refresh(client, body.refresh_token)).body.error).toBe('invalid_grant')
  })

  it('stores codes and secrets as hashes only', async () => {
    const client = await oauth.client()
    const { accessToken } = await auth.given.session()
    const code = await oauth.code(client, accessToken)
    const rows = JSON.stringify([
      ...(await auth.rows('select * from auth.oauth_authorizations')),
      ...(await auth.rows('select * from auth.oauth_clients')),
    ])

    expect(rows).not.toContain(code)
    expect(rows).not.toContain(client.secret)
  })

  it('rejects a code after the revocation of the grant, a ban and the deletion of the client', async () => {
    const client = await oauth.client()
    const ada = await auth.given.session()
    const code = await oauth.code(client, ada.accessToken)
    const revoked = await auth.request('DELETE', `/user/oauth/grants?client_id=${client.id}`, {
      token: ada.accessToken,
    })
    expect(revoked.status).toBe(204)
    expect((await oauth.exchange(client, code)).body.error).toBe('invalid_grant')

    const second = await oauth.code(client, ada.accessToken)
    await auth.auth.admin.banUser(ada.user.id)
    expect((await oauth.exchange(client, second)).body.error).toBe('invalid_grant')
    await auth.auth.admin.unbanUser(ada.user.id)

    const bob = await auth.given.session()
    const third = await oauth.code(client, bob.accessToken)
    await auth.request('DELETE', `/admin/oauth/clients/${client.id}`, {
      token: await auth.given.serviceToken(),
    })
    expect((await oauth.exchange(client, third)).body.error).toBe('invalid_client')
  })
})

describe('a request', () => {
  it.each([
    ['two scopes', 'scope=email&scope=phone', 'invalid_request'],
    ['two states', 'state=b', 'invalid_request'],
    ['a request object', 'request=x', 'request_not_supported'],
    ['an unknown prompt', 'prompt=now', 'invalid_request'],
    ['a silent prompt with another one', 'prompt=none%20login', 'invalid_request'],
    ['a malformed age', 'max_age=-1', 'invalid_request'],
    ['a blank scope', 'scope=%20', 'invalid_scope'],
    ['a relative resource', 'resource=api', 'invalid_target'],
    ['a resource with a query', 'resource=https://a.test/?b', 'invalid_target'],
    ['a resource with a space', 'resource=app:all%20is%20safe', 'invalid_target'],
    ['a resource with an invisible letter', 'resource=app:%E2%A0%80x', 'invalid_target'],
    ['a resource with an override of the direction', 'resource=app:%E2%80%AEx', 'invalid_target'],
    ['a form as response mode', 'response_mode=form_post', 'invalid_request'],
    ['a hint that is no token', 'id_token_hint=x', 'invalid_request'],
  ])('with %s is rejected by a redirect', async (_, query, error) => {
    const client = await oauth.client()
    const url = await oauth.authorize(client)
    const given = new URL(url.headers.get('location') ?? '')
    expect(given.searchParams.get('authorization_id')).not.toBeNull()

    const parameters = new URLSearchParams({
      client_id: client.id,
      redirect_uri: callback,
      state: 'st',
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'S256',
    })
    const target = locationOf(await auth.get(`/oauth/authorize?${parameters}&${query}`))

    expect(`${target.origin}${target.pathname}`).toBe(callback)
    expect(target.searchParams.get('error')).toBe(error)
    expect(target.searchParams.get('iss')).toBe('https://auth.example.test')
    expect(target.searchParams.get('code')).toBeNull()
  })

  it('may use any port of a loopback address, and no other rule (RFC 9700 §4.1)', async () => {
    const client = await oauth.client({
      redirect_uris: ['http://127.0.0.1/cb', 'http://localhost:3000/x?a=1', 'http://[::1]:1/cb'],
    })
    const status = async (redirect_uri: string) =>
      (await oauth.authorize(client, { redirect_uri })).status

    for (const uri of [
      'http://127.0.0.1:8123/cb',
      'http://localhost/x?a=1',
      'http://localhost:65535/x?a=1',
      'http://[::1]:99/cb',
    ]) {
      expect([uri, await status(uri)]).toEqual([uri, 302])
    }
    for (const uri of [
      'http://127.0.0.1:8123/cb/',
      'http://127.0.0.1:8123/cb?x',
      'http://localhost:8123/cb',
      'https://127.0.0.1:8123/cb',
      'http://127.0.0.1:65536/cb',
      'http://127.0.0.1:80@evil.test/cb',
      'http://127.0.0.1.evil.test/cb',
      'http://127.0.0.2:8123/cb',
      'http://localhost:3000/x?a=2',
    ]) {
      expect([uri, await status(uri)]).toEqual([uri, 400])
    }
  })

  it('sends the browser back with login_required or consent_required, or a code, without a page', async () => {
    const client = await oauth.client()
    const ada = await auth.given.session()
    const silent = async (parameters: Record<string, string> = {}) => {
      const id = await oauth.begin(client, { prompt: 'none', ...parameters })
      const { body } = await oauth.open(id, ada.accessToken)
      return new URL(body.redirect_url).searchParams
    }

    expect((await silent()).get('error')).toBe('consent_required')
    const { id_token: hint = '' } = await oauth.tokens(client, ada.accessToken, {
      scope: 'openid email',
    })
    expect((await silent()).get('code')).not.toBeNull()
    expect((await silent({ id_token_hint: hint })).get('code')).not.toBeNull()
    auth.clock.advance(120)
    expect((await silent({ max_age: '60' })).get('error')).toBe('login_required')
    const bob = await auth.given.session()
    const id = await oauth.begin(client, { prompt: 'none', id_token_hint: hint })
    const { body } = await oauth.open(id, bob.accessToken)
    expect(new URL(body.redirect_url).searchParams.get('error')).toBe('login_required')
  })

  it.each(['%00', 'a%00b', '%', '%ff', '%2F..%2Fadmin'])(
    'with the id %s is rejected',
    async (id) => {
      const { accessToken } = await auth.given.session()

      const answers = [await oauth.open(id, accessToken), await oauth.decide(id, accessToken)]

      for (const { status } of answers) expect([400, 404]).toContain(status)
    },
  )

  it('S120: without a resource is not approved by a consent to a resource, nor the reverse', async () => {
    const client = await oauth.client()
    const ada = await auth.given.session()
    const resource = 'https://mcp.example.test/mcp'
    const silent = async (parameters: Record<string, string> = {}) => {
      const id = await oauth.begin(client, { prompt: 'none', ...parameters })
      const { body } = await oauth.open(id, ada.accessToken)
      const { searchParams } = new URL(body.redirect_url)
      return searchParams.get('error') ?? 'code'
    }

    await oauth.tokens(client, ada.accessToken, { resource })
    expect([await silent({ resource }), await silent()]).toEqual(['code', 'consent_required'])
    await oauth.tokens(client, ada.accessToken)
    expect([await silent({ resource }), await silent()]).toEqual(['consent_required', 'code'])
  })

  it.each([{ prompt: 'login' }, { max_age: '0' }, { max_age: '5' }])(
    'that requires a new sign-in by %j waits for one of the same user',
    async (parameters) => {
      const client = await oauth.client()
      const ada = await auth.given.session()
      auth.clock.advance(10)
      const id = await oauth.begin(client, { ...parameters })

      const [early, forced] = [
        await oauth.open(id, ada.accessToken),
        await oauth.decide(id, ada.accessToken),
      ]
      auth.clock.advance(10)
      const { session } = await auth.auth.api.signInWithPassword({
        email: ada.user.email ?? '',
        password: 'correct horse',
      })
      // The user needs a while to return from the sign-in.
      auth.clock.advance(10)
      const late = await oauth.open(id, session.accessToken)
      const decided = await oauth.decide(id, session.accessToken)

      expect([early.body.error_code, forced.body.error_code]).toEqual([
        'reauthentication_needed',
        'reauthentication_needed',
      ])
      expect(late.body.authorization_id).toBe(id)
      expect(decided.body.redirect_url).toContain('code=')
    },
  )

  it('of a public client on a loopback address is never approved by an earlier consent', async () => {
    const uri = 'http://127.0.0.1/cb'
    const client = await oauth.client({
      redirect_uris: [uri, callback],
      token_endpoint_auth_method: 'none',
    })
    const ada = await auth.given.session()
    await oauth.code(client, ada.accessToken)

    const web = await oauth.open(await oauth.begin(client), ada.accessToken)
    const native = await oauth.open(
      await oauth.begin(client, { redirect_uri: 'http://127.0.0.1:5123/cb' }),
      ada.accessToken,
    )

    expect(web.body.redirect_url).toContain('code=')
    expect(native.body).toMatchObject({ redirect_uri: 'http://127.0.0.1:5123/cb' })
  })

  it('is answered for 300 browsers at once', async () => {
    const client = await oauth.client()

    const answers = await Promise.all(Array.from({ length: 300 }, () => oauth.authorize(client)))

    // A slow machine may reject a part of them, with the time to wait.
    const statuses = new Set(answers.map(({ status }) => status))
    expect([302, 503, 504]).toEqual(expect.arrayContaining([...statuses]))
    const accepted = answers.filter(({ status }) => status === 302)
    const ids = accepted.map((answer) => locationOf(answer).searchParams.get('authorization_id'))
    expect(ids.length).toBeGreaterThan(0)
    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe('an exchange of a code', () => {
  it('may omit the redirect URI, as in OAuth 2.1, but not state another one (RFC 9700 §4.5)', async () => {
    const client = await oauth.client()
    const { accessToken } = await auth.given.session()
    const exchange = async (redirect_uri: string | undefined, code_verifier = verifier) => {
      const code = await oauth.code(client, accessToken)
      const fields = { grant_type: 'authorization_code', code, redirect_uri, code_verifier }
      return (await oauth.form('/oauth/token', fields, client)).status
    }

    expect(await exchange(undefined)).toBe(200)
    expect(await exchange(undefined, `${verifier}-of-another-browser`)).toBe(400)
    expect(await exchange('https://other.example.test/cb')).toBe(400)
  })

  it.each([
    ['by its user', (token: string) => auth.post('/logout?scope=local', {}, { token })],
    [
      'from another device',
      async (token: string) => {
        const { email } = await auth.auth.api.getUser({ accessToken: token })
        const credentials = { email: email ?? '', password: testPassword }
        const { session } = await auth.auth.api.signInWithPassword(credentials)
        return auth.post('/logout?scope=others', {}, { token: session.accessToken })
      },
    ],
  ])('is rejected once the session that consented was ended %s (S124)', async (_by, end) => {
    const client = await oauth.client()
    const { accessToken } = await auth.given.session()
    const code = await oauth.code(client, accessToken)

    await end(accessToken)
    const { status, body } = await oauth.exchange(client, code)

    expect([status, body.error]).toEqual([400, 'invalid_grant'])
  })

  it.each([
    ['reached its time box', { timeboxSeconds: 3600 }, 3590],
    ['was not renewed for too long', { inactivityTimeoutSeconds: 3600 }, 3590],
    ['was replaced by a newer sign-in', { singlePerUser: true }, 0],
  ])('is rejected once the session that consented %s (S124)', async (_rule, sessions, seconds) => {
    const limited = await startTestAuth({ ...asOauthServer, sessions })
    const ofLimited = oauthOf(limited)
    const client = await ofLimited.client()
    const { accessToken, user } = await limited.given.session()
    limited.clock.advance(seconds)
    const code = await ofLimited.code(client, accessToken)

    limited.clock.advance(20)
    const credentials = { email: user.email ?? '', password: testPassword }
    await limited.auth.api.signInWithPassword(credentials)
    const { status, body } = await ofLimited.exchange(client, code)

    expect([status, body.error]).toEqual([400, 'invalid_grant'])
    await limited.close()
  })

  it('that is sent several times at once opens one session, which ends', async () => {
    const client = await oauth.client()
    const { accessToken } = await auth.given.session()
    for (let count = 0; count < 10; count += 1) {
      const code = await oauth.code(client, accessToken)
      const answers = await Promise.all([1, 2, 3].map(() => oauth.exchange(client, code)))
      const [opened, ...others] = answers.filter(({ status }) => status === 200)

      expect(others).toEqual([])
      expect((await oauth.refresh(client, opened?.body.refresh_token)).status).toBe(400)
    }
  })

  it('leaves no session where its grant is revoked at the same time (S73)', async () => {
    const client = await oauth.client()
    const { accessToken, user } = await auth.given.session()
    for (let count = 0; count < 20; count += 1) {
      const code = await oauth.code(client, accessToken)
      const revoke = () =>
        auth.request('DELETE', `/user/oauth/grants?client_id=${client.id}`, { token: accessToken })
      const [, revoked] = await Promise.all([oauth.exchange(client, code), revoke()])
      expect(revoked.status).toBe(204)
    }
    const statistics =
      'select deadlocks::int from pg_stat_database where datname = current_database()'
    expect(await auth.rows(statistics)).toEqual([{ deadlocks: 0 }])

    const left = 'select id from auth.sessions where user_id = $1 and oauth_client_id is not null'
    expect(await auth.rows(left, [user.id])).toEqual([])
  })

  it('leaves no session where its client is deleted at the same time (S73)', async () => {
    const { accessToken, user } = await auth.given.session()
    const token = await auth.given.serviceToken()
    for (let count = 0; count < 20; count += 1) {
      const client = await oauth.client()
      const code = await oauth.code(client, accessToken)
      const remove = () => auth.request('DELETE', `/admin/oauth/clients/${client.id}`, { token })
      await Promise.all([oauth.exchange(client, code), remove()])
    }

    const left = 'select id from auth.sessions where user_id = $1 and oauth_client_id is not null'
    expect(await auth.rows(left, [user.id])).toEqual([])
  })
})

describe('a consent of a stolen session, while its owner changes the password (S125)', () => {
  let host: pg.Client

  beforeAll(async () => {
    host = new pg.Client({ connectionString: auth.databaseUrl })
    await host.connect()
  })
  afterAll(() => host.end())

  const waiting = async () => {
    const blocked = `select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    await waitFor(async () => expect(await auth.rows(blocked)).toHaveLength(1))
  }

  /** Returns the tokens of the owner and the thief, and a request that the thief opened. */
  const stolen = async () => {
    const owner = await auth.given.session()
    const credentials = { email: owner.user.email ?? '', password: testPassword }
    const { session: thief } = await auth.auth.api.signInWithPassword(credentials)
    const id = await oauth.begin(await oauth.client())
    await oauth.open(id, thief.accessToken)
    const consents = () =>
      auth.rows('select id from auth.oauth_consents where user_id = $1', [owner.user.id])
    return { owner: owner.accessToken, thief: thief.accessToken, id, consents }
  }

  it('is rejected if the change is committed first', async () => {
    const { owner, thief, id, consents } = await stolen()
    await host.query('begin')
    await auth.auth.api.updateUser({ accessToken: owner, password: 'another horse' }, { tx: host })

    const decided = oauth.decide(id, thief)
    await waiting()
    await host.query('commit')

    expect((await decided).status).toBeGreaterThanOrEqual(400)
    expect(await consents()).toEqual([])
  })

  it('ends with the change if it is committed first', async () => {
    const { owner, thief, id, consents } = await stolen()
    await host.query('begin')
    const request = { accessToken: thief, authorizationId: id }
    await auth.auth.api.oauth.approveAuthorization(request, { tx: host })

    const changed = auth.put('/user', { password: 'another horse' }, { token: owner })
    await waiting()
    await host.query('commit')

    expect((await changed).status).toBe(200)
    expect(await consents()).toEqual([])
  })
})

describe('the tokens of a sign-in', () => {
  // A browser keeps the fragment of a redirect that has none of its own.
  it('do not follow a redirect through the service to a client (S72)', async () => {
    const client = await oauth.client()
    const through = `https://auth.example.test/oauth/authorize?client_id=${client.id}&redirect_uri=${callback}`
    const { user } = await auth.given.session()
    const beside = await auth.beside({ redirects: { allowList: ['https://auth.example.test/**'] } })
    const link = await beside.request('POST', '/admin/generate_link', {
      token: await auth.given.serviceToken(),
      body: { type: 'magiclink', email: user.email, redirect_to: through },
    })
    const refused = await oauth.authorize(client, { response_type: 'token' })
    await beside.close()

    expect(link.status).toBe(200)
    expect(link.body.action_link).not.toContain('authorize')
    expect(locationOf(refused).hash).toBe('#_')
    expect(locationOf(refused).searchParams.get('error')).toBe('unsupported_response_type')
  })
})

describe('a user with a second factor', () => {
  it('grants access only in a session that has used it (S71)', async () => {
    const client = await oauth.client()
    const factors = secondFactors(auth)
    const strong = await factors.aal2Session()
    const weak = await factors.signIn(strong.user.email)
    const id = await oauth.begin(client)

    const opened = await oauth.open(id, weak.accessToken)
    const decided = await oauth.decide(id, weak.accessToken)
    for (const { status, body } of [opened, decided]) {
      expect([status, body.error_code]).toEqual([403, 'insufficient_aal'])
    }
    const silent = await oauth.begin(client, { prompt: 'none' })
    const refused = (await oauth.open(silent, weak.accessToken)).body.redirect_url
    expect(new URL(refused).searchParams.get('error')).toBe('login_required')

    // The request waits for the second factor.
    expect((await oauth.open(id, strong.accessToken)).status).toBe(200)
    expect((await oauth.decide(id, strong.accessToken)).status).toBe(200)
    // A consent that was given before is no proof of it.
    const later = await oauth.begin(client)
    expect((await oauth.open(later, weak.accessToken)).body.error_code).toBe('insufficient_aal')
    const last = await oauth.begin(client)
    expect((await oauth.open(last, strong.accessToken)).body.redirect_url).toContain('code=')
  })
})

describe('the access of a client', () => {
  it('ends with its consent, also where a further one replaces it', async () => {
    const [oldest, newest] = [await oauth.client(), await oauth.client()]
    const { user, accessToken } = await auth.given.session()
    const tokens = await oauth.tokens(oldest, accessToken)
    await auth.rows(
      `with clients as (
        insert into auth.oauth_clients select (jsonb_populate_record(c, jsonb_build_object(
          'id', gen_random_uuid()))).* from auth.oauth_clients c, generate_series(1, $2::int)
          where c.id = $1 returning id
      )
      insert into auth.oauth_consents
      select gen_random_uuid(), $3, id, '[]', '[]', $4::timestamptz + interval '1 second' from clients`,
      [oldest.id, maxConsents - 1, user.id, auth.clock.now()],
    )
    const access = async () =>
      (await auth.get('/oauth/userinfo', { token: tokens.access_token })).status

    await oauth.tokens(oldest, accessToken)
    expect(await access()).toBe(200)
    await oauth.tokens(newest, accessToken)
    expect(await access()).toBe(401)
  })

  it('ends with the first proof of a factor, and with no later one', async () => {
    const client = await oauth.client()
    const factors = secondFactors(auth)
    const isAlive = async ({ access_token: token }: { access_token: string }) =>
      (await auth.get('/oauth/userinfo', { token })).status === 200
    const { user, app, accessToken, answer } = await factors.begun()
    const early = await oauth.tokens(client, accessToken)
    const { body } = await answer(factors.codeOf(app))
    expect(await isAlive(early)).toBe(false)

    const granted = await oauth.tokens(client, body.access_token)
    auth.clock.advance(30)
    const again = await factors.signIn(user.email)
    expect((await factors.prove(again.accessToken, app)).status).toBe(200)
    expect(await isAlive(granted)).toBe(true)
  })
})

describe('a token of a client', () => {
  it('manages no account and no consent, whatever its scopes', async () => {
    const client = await oauth.client()
    const ada = await auth.given.session()
    const { access_token: token } = await oauth.tokens(client, ada.accessToken, {
      scope: 'openid profile email phone offline_access',
    })
    const id = await oauth.begin(client)

    const calls: [string, string, object?][] = [
      ['PUT', '/user', { data: { a: 1 } }],
      ['POST', '/factors', { factor_type: 'totp' }],
      ['DELETE', '/factors/00000000-0000-4000-8000-000000000000'],
      ['GET', '/reauthenticate'],
      ['GET', '/user/oauth/grants'],
      ['DELETE', `/user/oauth/grants?client_id=${client.id}`],
      ['GET', '/user/sessions'],
      ['DELETE', '/user/sessions?scope=global'],
      ['POST', '/logout?scope=global'],
      ['POST', '/logout'],
      ['GET', `/oauth/authorizations/${id}`],
      ['POST', `/oauth/authorizations/${id}/consent`, { action: 'approve' }],
    ]
    for (const [method, path, body] of calls) {
      const { status, body: answer } = await auth.request(method, path, { token, body })
      expect([method, path, status, answer.error_code]).toEqual([
        method,
        path,
        403,
        'insufficient_scope',
      ])
    }
    await expect(
      auth.auth.requireUser({ headers: { authorization: `Bearer ${token}` } }),
    ).rejects.toMatchObject({ code: 'insufficient_scope' })
    await expect(
      auth.auth.requireUser({ headers: { authorization: `Bearer ${token}` } }, { strict: false }),
    ).rejects.toMatchObject({ code: 'insufficient_scope' })
    expect((await auth.get('/user', { token })).status).toBe(200)
    expect((await auth.post('/logout?scope=local', undefined, { token })).status).toBe(204)
    expect((await auth.get('/user', { token: ada.accessToken })).status).toBe(200)
  })

  it('S122: for a resource is none for the account of a user with that audience', async () => {
    const resource = 'https://api.example.test'
    const credentials = { email: 'aud@example.test', password: testPassword }
    const token = await auth.given.serviceToken()
    const created = { ...credentials, email_confirm: true, aud: resource }
    expect((await auth.post('/admin/users', created, { token })).status).toBe(200)
    const headers = { 'x-jwt-aud': resource }
    const signedIn = await auth.post('/token?grant_type=password', credentials, { headers })
    expect(signedIn.status).toBe(200)
    const client = await oauth.client()

    const { access_token: ofResource } = await oauth.tokens(client, signedIn.body.access_token, {
      resource,
    })

    const answers = [
      await auth.get('/user', { token: ofResource }),
      await auth.post('/logout?scope=local', undefined, { token: ofResource }),
    ]
    expect(answers.map(({ status, body }) => [status, body.error_code])).toEqual([
      [403, 'insufficient_scope'],
      [403, 'insufficient_scope'],
    ])
  })

  it('S122: without a resource has no id and not the type of one with it, whatever a hook adds', async () => {
    const hooks = {
      customAccessToken: async ({ claims }: { claims: object }) => ({
        claims: { ...claims, jti: 'x' },
      }),
    }
    const beside = await startTestAuth({ ...asOauthServer, hooks })
    const other = oauthOf(beside)
    const client = await other.client()
    const { accessToken } = await beside.given.session()

    const { access_token: token } = await other.tokens(client, accessToken)

    expect(claimsIn(accessToken)['jti']).toBe('x')
    expect(claimsIn(token)).not.toHaveProperty('jti')
    expect(headerOf(token)['typ']).toBe('JWT')
    await beside.close()
  })

  it('is described to the hook for claims, which withholds some from it and changes no grant', async () => {
    const seen: Record<string, unknown>[] = []
    const hooks = {
      customAccessToken: async ({ claims }: { claims: Readonly<Record<string, unknown>> }) => {
        seen.push(claims)
        const plan = claims['client_id'] === undefined ? { plan: 'gold' } : {}
        return { claims: { ...claims, ...plan, seen: true, scope: 'profile', client_id: 'x' } }
      },
    }
    const { oauthServer } = asOauthServer
    const beside = await startTestAuth({
      ...asOauthServer,
      hooks,
      oauthServer: { ...oauthServer, tokenExchange: { enabled: true } },
    })
    const other = oauthOf(beside)
    const client = await other.client({ grant_types: [...commonGrants, tokenExchangeGrant] })
    const { accessToken } = await beside.given.session()
    const resource = 'https://api.example.test'
    const bound = { client_id: client.id, scope: 'email' }

    const own = await other.tokens(client, accessToken, { scope: 'email' })
    const tokens = await other.tokens(client, accessToken, { scope: 'email', resource })
    const renewed = await other.refresh(client, tokens.refresh_token)
    const exchanged = await other.form(
      '/oauth/token',
      {
        grant_type: tokenExchangeGrant,
        subject_token: own.access_token,
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        resource,
      },
      client,
    )

    expect(claimsIn(accessToken)).toMatchObject({ plan: 'gold' })
    expect(seen.slice(1)).toMatchObject([
      { ...bound, aud: 'authenticated' },
      { ...bound, aud: resource },
      { ...bound, aud: resource },
    ])
    expect(claimsIn(own.access_token)).toMatchObject({ ...bound, seen: true })
    for (const { access_token: token } of [tokens, renewed.body]) {
      const claims = claimsIn(token)
      expect(claims).toMatchObject({ ...bound, aud: resource, seen: true })
      for (const name of ['plan', 'email', 'app_metadata']) expect(claims).not.toHaveProperty(name)
    }
    // The hook was not called for the resource.
    expect(Object.keys(claimsIn(exchanged.body.access_token)).sort()).toEqual(
      'aal amr aud client_id exp iat is_anonymous iss jti role scope session_id sub'.split(' '),
    )
    await beside.close()
  })

  it('of an operator operates nothing', async () => {
    const client = await oauth.client()
    const { user } = await auth.given.session()
    await auth.auth.admin.updateUser(user.id, { role: 'service_role' })
    const { session } = await auth.auth.api.signInWithPassword({
      email: user.email ?? '',
      password: 'correct horse',
    })
    const { access_token: token } = await oauth.tokens(client, session.accessToken)

    expect((await auth.get('/admin/users', { token: session.accessToken })).status).toBe(200)
    const { status, body } = await auth.get('/admin/users', { token })
    expect([status, body.error_code]).toEqual([403, 'insufficient_scope'])
  })

  it('is renewed by its client only, with a part of its scope', async () => {
    const client = await oauth.client()
    const ada = await auth.given.session()
    const tokens = await oauth.tokens(client, ada.accessToken, { scope: 'openid email phone' })
    const wider = await oauth.refresh(client, tokens.refresh_token, { scope: 'email profile' })
    const part = await oauth.refresh(client, tokens.refresh_token, { scope: 'email' })
    const whole = await oauth.refresh(client, part.body.refresh_token)

    const ordinary = await auth.post('/token?grant_type=refresh_token', {
      refresh_token: whole.body.refresh_token,
    })

    expect(wider.body.error).toBe('invalid_scope')
    expect([part.body.scope, claimsIn(part.body.access_token)['scope']]).toEqual(['email', 'email'])
    expect(whole.body.scope).toBe('openid email phone')
    expect([ordinary.status, ordinary.body.error]).toEqual([400, 'invalid_client'])
    expect((await oauth.refresh(client, whole.body.refresh_token)).status).toBe(200)
  })
})

it('names the missing key pair where a shared secret signs and a client requests openid', async () => {
  const { secret, issuer } = asOauthServer.jwt ?? {}
  const sharing = await auth.beside({ ...asOauthServer, jwt: { secret, issuer } })
  const client = await oauth.client()
  const parameters = { client_id: client.id, redirect_uri: callback, response_type: 'code' }
  const query = new URLSearchParams({ ...parameters, scope: 'openid' })

  const answer = await sharing.request('GET', `/oauth/authorize?${query}`)
  await sharing.close()

  expect(Object.fromEntries(locationOf(answer).searchParams)).toMatchObject({
    error: 'invalid_scope',
    error_description: 'The scope openid requires a service that signs by a key pair',
  })
})
