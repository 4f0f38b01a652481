import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  asOauthServer,
  callback,
  claimsIn,
  codeChallenge,
  headerOf,
  locationOf,
  oauthOf,
} from '../../../../test/support/oauth-clients.ts'
import { startTestAuth, type TestAuth } from '../../../../test/support/test-auth.ts'
import { signJws } from '../../../platform/kit/jws.ts'

const issuer = 'https://auth.example.test'
let auth: TestAuth
let oauth: ReturnType<typeof oauthOf>

beforeAll(async () => {
  auth = await startTestAuth({
    ...asOauthServer,
    oauthServer: {
      ...asOauthServer.oauthServer,
      clientCredentials: { enabled: true },
      scopes: { notes: 'Notes' },
    },
  })
  oauth = oauthOf(auth)
})
afterAll(() => auth.close())

const keyPair = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = publicKey.export({ format: 'jwk' })
  const canonical = JSON.stringify({ crv: jwk.crv, kty: jwk.kty, x: jwk.x, y: jwk.y })
  return {
    key: { algorithm: 'ES256', key: privateKey } as const,
    jwk: jwk as Record<string, unknown>,
    thumbprint: createHash('sha256').update(canonical).digest('base64url'),
  }
}
const seconds = () => Math.floor(auth.clock.now().getTime() / 1000)

describe('POST /oauth/revoke', () => {
  it('ends the session of a refresh or an access token, and none of another client', async () => {
    const [client, other] = [await oauth.client(), await oauth.client()]
    const { accessToken } = await auth.given.session()
    const alive = async (token: string) => (await auth.get('/oauth/userinfo', { token })).status
    for (const kind of ['refresh_token', 'access_token'] as const) {
      const tokens = await oauth.tokens(client, accessToken)
      const token = tokens[kind]
      const byOther = await oauth.form('/oauth/revoke', { token }, other)
      expect([byOther.status, await alive(tokens.access_token)]).toEqual([200, 200])
      const wrong = await oauth.form('/oauth/revoke', { token }, { ...client, secret: 'wrong' })
      expect([wrong.status, wrong.body.error]).toEqual([401, 'invalid_client'])
      const revoked = await oauth.form('/oauth/revoke', { token }, client)
      expect([revoked.status, revoked.text, await alive(tokens.access_token)]).toEqual([
        200,
        '',
        401,
      ])
    }
    expect((await oauth.form('/oauth/revoke', { token: 'nonsense' }, client)).status).toBe(200)
    expect((await auth.get('/user', { token: accessToken })).status).toBe(200)
  })

  it('does not end a session of the user, whose own tokens a client submits', async () => {
    const client = await oauth.client()
    const ada = await auth.given.session()
    for (const token of [ada.accessToken, ada.refreshToken]) {
      expect((await oauth.form('/oauth/revoke', { token }, client)).status).toBe(200)
    }
    expect((await auth.get('/user', { token: ada.accessToken })).status).toBe(200)
  })
})

describe('POST /oauth/introspect', () => {
  it('describes tokens of the client itself, until the grant is revoked', async () => {
    const [client, other] = [await oauth.client(), await oauth.client()]
    const ada = await auth.given.session()
    const tokens = await oauth.tokens(client, ada.accessToken)
    const ask = (token: string, by = client) => oauth.form('/oauth/introspect', { token }, by)

    expect((await ask(tokens.access_token)).body).toMatchObject({
      active: true,
      client_id: client.id,
      sub: ada.user.id,
      scope: 'email',
      token_type: 'Bearer',
      iss: issuer,
    })
    expect((await ask(tokens.refresh_token)).body).toMatchObject({
      active: true,
      token_type: 'refresh_token',
    })
    for (const token of [ada.accessToken, ada.refreshToken, 'nonsense']) {
      expect((await ask(token)).body).toEqual({ active: false })
    }
    expect((await ask(tokens.access_token, other)).body).toEqual({ active: false })
    await auth.request('DELETE', `/user/oauth/grants?client_id=${client.id}`, {
      token: ada.accessToken,
    })
    expect((await ask(tokens.access_token)).body).toEqual({ active: false })
    expect((await ask(tokens.refresh_token)).body).toEqual({ active: false })
  })

  it('requires an authenticated client', async () => {
    const open = await oauth.client({ token_endpoint_auth_method: 'none' })
    const answers = [
      await oauth.form('/oauth/introspect', { token: 'x' }, open),
      await oauth.form('/oauth/introspect', { token: 'x' }),
      await oauth.form('/oauth/introspect', { token: 'x' }, { id: randomUUID(), secret: 'x' }),
    ]
    for (const { status, body } of answers) {
      expect(status === 400 || status === 401).toBe(true)
      expect(body.error).toBe('invalid_client')
    }
  })
})

describe('a pushed request', () => {
  const pushed = {
    redirect_uri: callback,
    response_type: 'code',
    scope: 'email',
    state: 'st',
    code_challenge: codeChallenge,
    code_challenge_method: 'S256',
  }
  const submit = (clientId: string, uri: string) =>
    auth.get(`/oauth/authorize?${new URLSearchParams({ client_id: clientId, request_uri: uri })}`)

  it('is opened once, of 20 browsers at once, by its client only, within its lifetime', async () => {
    const [client, other] = [await oauth.client(), await oauth.client()]
    const { status, body } = await oauth.form('/oauth/par', pushed, client)
    expect([status, body.expires_in]).toEqual([201, 90])
    expect((await submit(other.id, body.request_uri)).status).toBe(400)

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => submit(client.id, body.request_uri)),
    )

    expect(answers.filter((answer) => answer.status === 302)).toHaveLength(1)
    expect(answers.filter((answer) => answer.status === 400)).toHaveLength(19)
    const late = await oauth.form('/oauth/par', pushed, client)
    auth.clock.advance(91)
    expect((await submit(client.id, late.body.request_uri)).status).toBe(400)
  })

  it('ends in a code', async () => {
    const client = await oauth.client()
    const { accessToken } = await auth.given.session()
    const hints = { login_hint: 'ada@example.test', ui_locales: 'de' }
    const { body } = await oauth.form('/oauth/par', { ...pushed, ...hints }, client)
    const { searchParams } = locationOf(await submit(client.id, body.request_uri))
    expect(Object.fromEntries(searchParams)).toMatchObject(hints)
    const id = searchParams.get('authorization_id') ?? ''
    await oauth.open(id, accessToken)
    const decided = await oauth.decide(id, accessToken)
    const code = new URL(decided.body.redirect_url).searchParams.get('code') ?? ''

    expect((await oauth.exchange(client, code)).status).toBe(200)
  })

  it('is rejected with an error of OAuth, before it is stored', async () => {
    const client = await oauth.client()
    const error = async (changes: Record<string, string | undefined>, by = client) =>
      (await oauth.form('/oauth/par', { ...pushed, ...changes }, by)).body.error

    expect(await error({ redirect_uri: 'https://evil.test/cb' })).toBe('invalid_request')
    expect(await error({ scope: 'admin' })).toBe('invalid_scope')
    expect(await error({ code_challenge: undefined })).toBe('invalid_request')
    expect(await error({ request_uri: 'urn:x' })).toBe('invalid_request')
    expect(await error({}, { ...client, secret: 'wrong' })).toBe('invalid_client')
  })
})

describe('a client with private_key_jwt', () => {
  it('S140: authenticates by an assertion, once, for this service only', async () => {
    const { key, jwk } = keyPair()
    const client = await oauth.client({
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [{ ...jwk, kid: 'k1' }] },
    })
    expect(client.secret).toBeNull()
    const { accessToken } = await auth.given.session()
    const assertion = (
      changes: object = {},
      by: Parameters<typeof signJws>[0] = key,
      header = {},
    ) =>
      signJws(
        by,
        { kid: 'k1', ...header },
        {
          iss: client.id,
          sub: client.id,
          aud: issuer,
          exp: seconds() + 60,
          iat: seconds(),
          jti: randomUUID(),
          ...changes,
        },
      )
    const send = async (client_assertion: string) => {
      const code = await oauth.code(client, accessToken)
      return oauth.form('/oauth/token', {
        grant_type: 'authorization_code',
        code,
        redirect_uri: callback,
        code_verifier: 'a-code-verifier-of-more-than-forty-three-characters',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion,
      })
    }
    const good = await assertion()

    const answers = await Promise.all(Array.from({ length: 8 }, () => send(good)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(401)])
    for (const accepted of [
      await assertion({ aud: [issuer] }),
      await assertion({}, key, { typ: 'JWT' }),
      await assertion({}, key, { typ: 'client-authentication+jwt' }),
    ]) {
      expect((await send(accepted)).status).toBe(200)
    }
    const rejected = [
      good,
      await assertion({ aud: 'https://other.example.test' }),
      await assertion({ aud: ['https://other.example.test', issuer] }),
      await assertion({ aud: [issuer, 'https://other.example.test'] }),
      await assertion({ aud: `${issuer}/oauth/token` }),
      await assertion({ aud: `${issuer}/oauth/par` }),
      await assertion({}, key, { typ: 'dpop+jwt' }),
      await assertion({ exp: seconds() - 100 }),
      await assertion({ exp: seconds() + 100_000 }),
      await assertion({ sub: randomUUID() }),
      await assertion({ jti: undefined }),
      await assertion({}, keyPair().key),
      `${good.slice(0, -4)}AAAA`,
      'x',
    ]
    for (const [at, one] of rejected.entries()) {
      expect([at, (await send(one)).body.error]).toEqual([at, 'invalid_client'])
    }
    const withoutProof = await oauth.exchange(client, await oauth.code(client, accessToken))
    expect(withoutProof.body.error).toBe('invalid_client')
  })
})

describe('client credentials', () => {
  it('are a token of the client itself, which opens nothing of users or operators (S122)', async () => {
    const client = await oauth.client({
      redirect_uris: [],
      grant_types: ['client_credentials'],
    })
    const grant = { grant_type: 'client_credentials' }
    const { status, body } = await oauth.form('/oauth/token', grant, client)
    const token = body.access_token

    expect([status, body.refresh_token, claimsIn(token)['sub']]).toEqual([
      200,
      undefined,
      client.id,
    ])
    for (const path of ['/user', '/user/oauth/grants', '/admin/users']) {
      expect([path, (await auth.get(path, { token })).status]).toEqual([path, 403])
    }
    expect((await auth.get('/oauth/userinfo', { token })).status).toBe(401)
    const scoped = await oauth.form('/oauth/token', { ...grant, scope: 'notes' }, client)
    const headers = { authorization: `Bearer ${scoped.body.access_token}` }
    for (const strict of [true, false]) {
      const options = { scope: 'notes', strict: strict as false }
      await expect(auth.auth.requireUser({ headers }, options)).rejects.toMatchObject({
        status: 401,
        code: 'bad_jwt',
      })
    }
    const introspected = await oauth.form('/oauth/introspect', { token }, client)
    expect(introspected.body).toMatchObject({ active: true, sub: client.id })
    const resource = 'https://mcp.example.test/mcp'
    const forResource = await oauth.form('/oauth/token', { ...grant, resource }, client)
    const types = [token, forResource.body.access_token].map((one) => headerOf(one)['typ'])
    expect(types).toEqual(['JWT', 'at+jwt'])
    const withScope = await oauth.form('/oauth/token', { ...grant, scope: 'openid' }, client)
    expect(withScope.body.error).toBe('invalid_scope')
  })

  it('are not for public or self-registered clients, nor for clients without the grant', async () => {
    const metadata = { redirect_uris: [callback], grant_types: ['client_credentials'] }
    const self = await auth.post('/oauth/clients/register', metadata)
    const open = await auth.post(
      '/admin/oauth/clients',
      { ...metadata, token_endpoint_auth_method: 'none' },
      { token: await auth.given.serviceToken() },
    )
    const client = await oauth.client()
    const without = await oauth.form('/oauth/token', { grant_type: 'client_credentials' }, client)

    expect([self.status, open.status]).toEqual([400, 400])
    expect(without.body.error).toBe('unauthorized_client')
  })
})

describe('DPoP', () => {
  const bound = (pair = keyPair()) => {
    const proof = (changes: object = {}, header: object = {}) =>
      signJws(
        pair.key,
        { typ: 'dpop+jwt', jwk: pair.jwk, ...header },
        {
          htm: 'POST',
          htu: `${issuer}/oauth/token`,
          iat: seconds(),
          jti: randomUUID(),
          ...changes,
        },
      )
    return { ...pair, proof }
  }

  it('binds tokens to a key, whose proof is valid once (RFC 9700 §4.10)', async () => {
    const client = await oauth.client({ token_endpoint_auth_method: 'none' })
    const { accessToken } = await auth.given.session()
    const { proof, thumbprint } = bound()
    const other = bound()
    const send = (fields: Record<string, string>, dpop: string) =>
      auth.request('POST', '/oauth/token', {
        body: new URLSearchParams({ client_id: client.id, ...fields }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', dpop },
      })
    const exchange = async (dpop: string) =>
      send(
        {
          grant_type: 'authorization_code',
          code: await oauth.code(client, accessToken),
          redirect_uri: callback,
          code_verifier: 'a-code-verifier-of-more-than-forty-three-characters',
        },
        dpop,
      )
    const used = await proof()
    const { body } = await exchange(used)
    expect([body.token_type, claimsIn(body.access_token)['cnf']]).toEqual([
      'DPoP',
      { jkt: thumbprint },
    ])
    for (const bad of [
      used,
      await proof({ htm: 'GET' }),
      await proof({ htu: 'https://other.example.test/oauth/token' }),
      await proof({ iat: seconds() - 3600 }),
      await proof({}, { typ: 'JWT' }),
      await proof({}, { jwk: other.jwk }),
    ]) {
      expect((await exchange(bad)).body.error).toBe('invalid_dpop_proof')
    }

    // As a bearer token it opens nothing; with a proof of its key it does.
    const token = body.access_token
    expect((await auth.get('/oauth/userinfo', { token })).status).toBe(401)
    expect((await auth.get('/user', { token })).status).toBe(403)
    const ath = createHash('sha256').update(token).digest('base64url')
    const read = (dpop: string) =>
      auth.get('/oauth/userinfo', { headers: { authorization: `DPoP ${token}`, dpop } })
    const target = { htm: 'GET', htu: `${issuer}/oauth/userinfo` }
    const proofOfToken = await proof({ ...target, ath })
    const answers = await Promise.all(Array.from({ length: 8 }, () => read(proofOfToken)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(401)])
    expect((await read(await proof(target))).status).toBe(401)
    expect((await read(await other.proof({ ...target, ath }))).status).toBe(401)

    const grant = { grant_type: 'refresh_token', refresh_token: body.refresh_token }
    expect((await send(grant, await other.proof())).body.error).toBe('invalid_grant')
    expect((await oauth.refresh(client, body.refresh_token)).body.error).toBe('invalid_grant')
    expect((await send(grant, await proof())).body.token_type).toBe('DPoP')
  })

  it('binds no refresh token of a client that authenticates (RFC 9449 §5)', async () => {
    const client = await oauth.client({ token_endpoint_auth_method: 'client_secret_post' })
    const { accessToken } = await auth.given.session()
    const send = (fields: Record<string, string>, dpop?: string) =>
      auth.request('POST', '/oauth/token', {
        body: new URLSearchParams({
          client_id: client.id,
          client_secret: client.secret ?? '',
          ...fields,
        }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...(dpop && { dpop }) },
      })
    const exchanged = await send(
      {
        grant_type: 'authorization_code',
        code: await oauth.code(client, accessToken),
        redirect_uri: callback,
        code_verifier: 'a-code-verifier-of-more-than-forty-three-characters',
      },
      await bound().proof(),
    )
    const refresh = ({ body }: typeof exchanged, dpop?: string) =>
      send({ grant_type: 'refresh_token', refresh_token: body.refresh_token }, dpop)
    const other = bound()

    const renewed = await refresh(exchanged, await other.proof())
    const unbound = await refresh(renewed)

    expect(exchanged.body.token_type).toBe('DPoP')
    expect(claimsIn(renewed.body.access_token)['cnf']).toEqual({ jkt: other.thumbprint })
    expect(unbound.body.token_type).toBe('bearer')
    expect(claimsIn(unbound.body.access_token)).not.toHaveProperty('cnf')
  })

  it('of a pushed request binds its code to the key (RFC 9449 §10.1)', async () => {
    const client = await oauth.client({ token_endpoint_auth_method: 'none' })
    const { accessToken } = await auth.given.session()
    const { proof, thumbprint } = bound()
    const par = { htu: `${issuer}/oauth/par` }
    const post = (path: string, fields: Record<string, string>, dpop: string) =>
      auth.request('POST', path, {
        body: new URLSearchParams({ client_id: client.id, ...fields }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...(dpop && { dpop }) },
      })
    const push = async (dpop: string, fields = {}) =>
      post(
        '/oauth/par',
        {
          redirect_uri: callback,
          response_type: 'code',
          code_challenge: codeChallenge,
          code_challenge_method: 'S256',
          ...fields,
        },
        dpop,
      )
    const exchange = async (dpop: string) => {
      const pushed = await push(await proof(par), { dpop_jkt: thumbprint })
      const { request_uri: uri } = pushed.body
      const query = new URLSearchParams({ client_id: client.id, request_uri: uri })
      const { searchParams } = locationOf(await auth.get(`/oauth/authorize?${query}`))
      const id = searchParams.get('authorization_id') ?? ''
      const opened = await oauth.open(id, accessToken)
      const target =
        opened.body.redirect_url ?? (await oauth.decide(id, accessToken)).body.redirect_url
      const code = new URL(target).searchParams.get('code') ?? ''
      const grant = { grant_type: 'authorization_code', code, redirect_uri: callback }
      const code_verifier = 'a-code-verifier-of-more-than-forty-three-characters'
      return (await post('/oauth/token', { ...grant, code_verifier }, dpop)).body
    }

    expect(await exchange(await proof())).toMatchObject({ token_type: 'DPoP' })
    expect(await exchange('')).toMatchObject({ error: 'invalid_grant' })
    expect(await exchange(await bound().proof())).toMatchObject({ error: 'invalid_grant' })
    const other = await push(await bound().proof(par), { dpop_jkt: thumbprint })
    expect([other.status, other.body.error]).toEqual([400, 'invalid_dpop_proof'])
    expect((await push(await proof())).body.error).toBe('invalid_dpop_proof')
  })

  it('is limited per client, and stores no proof beside a token that is not valid (S68)', async () => {
    const proofs = async () =>
      (await auth.rows('select proof_hash from auth.oauth_spent_proofs')).length
    const { accessToken } = await auth.given.session()
    const limited = await auth.beside({ rateLimits: { header: 'x-forwarded-for' } })
    const { proof } = bound()
    const before = await proofs()
    const statuses: Record<number, number> = {}
    for (let count = 0; count < 50; count += 1) {
      const token = count % 2 === 0 ? accessToken : 'x'
      const ath = createHash('sha256').update(token).digest('base64url')
      const { status } = await limited.request('GET', '/oauth/userinfo', {
        headers: {
          authorization: `DPoP ${token}`,
          dpop: await proof({ htm: 'GET', htu: `${issuer}/oauth/userinfo`, ath }),
          'x-forwarded-for': '198.51.100.68',
        },
      })
      statuses[status] = (statuses[status] ?? 0) + 1
    }

    await limited.close()
    expect((await proofs()) - before).toBe(0)
    expect(statuses).toEqual({ 401: 30, 429: 20 })
  })

  it('rejects an RSA key whose exponent makes each verification slow (S68)', async () => {
    const client = await oauth.client({ token_endpoint_auth_method: 'none' })
    const [n, e] = [384, 383].map((bytes) => Buffer.alloc(bytes, 0xff).toString('base64url'))
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const header = part({ typ: 'dpop+jwt', alg: 'RS256', jwk: { kty: 'RSA', n, e } })
    const dpop = `${header}.${part({})}.${Buffer.alloc(384, 1).toString('base64url')}`
    const { body } = await auth.request('POST', '/oauth/token', {
      body: new URLSearchParams({ client_id: client.id }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', dpop },
    })

    // The key is rejected: with an accepted key, the missing method would be the reason.
    expect(body).toMatchObject({
      error: 'invalid_dpop_proof',
      error_description: expect.stringContaining('is not signed by its key'),
    })
  })
})

describe('a client id that PostgreSQL cannot store', () => {
  it.each(['/oauth/token', '/oauth/revoke', '/oauth/introspect', '/oauth/par'])(
    'is a client that does not exist: %s (S67)',
    async (path) => {
      const fields = { grant_type: 'refresh_token', refresh_token: 'x', token: 'x' }
      for (const id of ['a\0b', 'a%00b']) {
        const answer = await oauth.form(path, fields, { id, secret: 'x' })
        expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client'])
      }
      const assertion = await signJws(keyPair().key, {}, { sub: 'a\0b', iss: 'a\0b' })
      const asserted = await oauth.form(path, {
        ...fields,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: assertion,
      })
      expect([asserted.status, asserted.body.error]).toEqual([401, 'invalid_client'])
    },
  )
})

describe('keys that a client registers', () => {
  const register = (key: Record<string, unknown>) =>
    auth.post('/oauth/clients/register', { redirect_uris: [callback], jwks: { keys: [key] } })

  it('are stored without members that no signature needs (S70)', async () => {
    const jwk = { ...keyPair().jwk, kid: 'k1', alg: 'ES256', use: 'sig', key_ops: ['verify'] }
    const { status, body } = await register({ ...jwk, x5c: ['x'.repeat(50_000)], note: 'x' })

    expect([status, body.jwks]).toEqual([201, { keys: [jwk] }])
  })

  it('are rejected where one is private, with a message that names the reason', async () => {
    const { key } = keyPair()
    const { status, body } = await register(key.key.export({ format: 'jwk' }))

    expect([status, body.error_description]).toEqual([
      400,
      'jwks: contains a private key or a shared secret; send public keys only',
    ])
  })

  it('are rejected where they are larger than any that is used (S70)', async () => {
    const n = Buffer.alloc(20_000, 0xff).toString('base64url')
    for (const key of [
      { kty: 'RSA', e: 'AQAB', n },
      { ...keyPair().jwk, kid: 'x'.repeat(5_000) },
    ]) {
      const { status, body } = await register(key)
      expect([status, body.error]).toEqual([400, 'invalid_client_metadata'])
    }
  })
})

describe('GET /oauth/logout', () => {
  it('ends the session of an ID token, and redirects to a registered URI only', async () => {
    const back = 'https://client.example.test/signed-out'
    const client = await oauth.client({ post_logout_redirect_uris: [back] })
    const { accessToken } = await auth.given.session()
    const tokens = await oauth.tokens(client, accessToken, { scope: 'openid' })
    const hint = tokens.id_token ?? ''
    const leave = (parameters: Record<string, string>) =>
      auth.get(`/oauth/logout?${new URLSearchParams(parameters)}`)
    const alive = async () =>
      (await auth.get('/oauth/userinfo', { token: tokens.access_token })).status === 200

    for (const bad of [
      {},
      { id_token_hint: 'x', post_logout_redirect_uri: back },
      { id_token_hint: tokens.access_token, post_logout_redirect_uri: back },
      { id_token_hint: accessToken, post_logout_redirect_uri: back },
      { id_token_hint: hint, post_logout_redirect_uri: 'https://evil.test/' },
      { id_token_hint: hint, client_id: randomUUID() },
    ]) {
      expect([(await leave(bad as Record<string, string>)).status, await alive()]).toEqual([
        400,
        true,
      ])
    }
    auth.clock.advance(4000)
    const answer = await leave({ id_token_hint: hint, post_logout_redirect_uri: back, state: 's' })
    expect([answer.status, answer.headers.get('location')]).toEqual([302, `${back}?state=s`])
    expect((await oauth.refresh(client, tokens.refresh_token)).body.error).toBe('invalid_grant')
    expect((await auth.post('/token?grant_type=refresh_token', {})).status).toBe(400)
  })
})
