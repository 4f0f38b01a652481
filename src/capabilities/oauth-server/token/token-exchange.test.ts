import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  asOauthServer,
  callback,
  claimsIn,
  type GivenClient,
  headerOf,
  oauthOf,
} from '../../../../test/support/oauth-clients.ts'
import { requestMethods, startTestAuth, type TestAuth } from '../../../../test/support/test-auth.ts'
import { commonGrants, tokenExchangeGrant } from '../protocol/grant-types.ts'

let auth: TestAuth
let oauth: ReturnType<typeof oauthOf>
let client: GivenClient

const resource = 'https://api.example.test'

beforeAll(async () => {
  auth = await startTestAuth({
    ...asOauthServer,
    oauthServer: { ...asOauthServer.oauthServer, tokenExchange: { enabled: true } },
  })
  oauth = oauthOf(auth)
  client = await oauth.client({ grant_types: [...commonGrants, tokenExchangeGrant] })
})
afterAll(() => auth.close())

const accessType = 'urn:ietf:params:oauth:token-type:access_token'
const exchange = (
  by: GivenClient,
  subject: string,
  fields: Record<string, string | undefined> = {},
) =>
  oauth.form(
    '/oauth/token',
    {
      grant_type: tokenExchangeGrant,
      subject_token: subject,
      subject_token_type: accessType,
      ...fields,
    },
    by,
  )
const givenTokens = async (parameters: Record<string, string> = {}, by = client) => {
  const { accessToken, user } = await auth.given.session()
  const tokens = await oauth.tokens(by, accessToken, { scope: 'email profile', ...parameters })
  return { ...tokens, ownToken: accessToken, userId: user.id }
}

describe('the exchange of a token', () => {
  it('returns one with a part of the scope, for a resource, without a refresh token', async () => {
    const { access_token: subject, userId } = await givenTokens()
    const answer = await exchange(client, subject, { scope: 'email', resource })

    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      access_token: expect.any(String),
      issued_token_type: accessType,
      token_type: 'bearer',
      expires_in: expect.any(Number),
      scope: 'email',
    })
    const claims = claimsIn(answer.body.access_token)
    expect(claims).toMatchObject({
      sub: userId,
      aud: resource,
      scope: 'email',
      client_id: client.id,
      session_id: claimsIn(subject)['session_id'],
    })
    expect(Object.keys(claims)).not.toContain('email')
    expect(headerOf(answer.body.access_token)['typ']).toBe('at+jwt')
    expect(Number(claims['exp'])).toBeLessThanOrEqual(Number(claimsIn(subject)['exp']))
    expect((await auth.get('/user', { token: answer.body.access_token })).status).toBe(403)
  })

  it('never widens the scope, and keeps the resource of the session', async () => {
    const { access_token: subject } = await givenTokens({ resource })
    const smaller = await exchange(client, subject, { scope: 'email' })
    const error = async (token: string, fields: Record<string, string>) =>
      (await exchange(client, token, fields)).body.error

    expect(claimsIn(smaller.body.access_token)['aud']).toBe(resource)
    expect(await error(subject, { scope: 'email phone' })).toBe('invalid_scope')
    expect(await error(smaller.body.access_token, { scope: 'email profile' })).toBe('invalid_scope')
    expect(await error(subject, { resource: 'https://other.example.test' })).toBe('invalid_target')
    expect(await error(subject, { audience: 'other' })).toBe('invalid_target')
  })

  it('keeps the resource of an earlier exchange', async () => {
    const { access_token: subject } = await givenTokens()
    const { body: first } = await exchange(client, subject, { resource })
    const again = await exchange(client, first.access_token)
    const other = await exchange(client, first.access_token, {
      resource: 'https://other.example.test',
    })

    for (const token of [first.access_token, again.body.access_token]) {
      expect((await auth.get('/oauth/userinfo', { token })).body.error).toBe('invalid_token')
    }
    const ids = [first, again.body].map((body) => claimsIn(body.access_token)['jti'])
    expect(claimsIn(again.body.access_token)['aud']).toBe(resource)
    expect(headerOf(again.body.access_token)['typ']).toBe('at+jwt')
    expect(new Set(ids).size).toBe(2)
    expect([other.status, other.body.error]).toEqual([400, 'invalid_target'])
  })

  it('ends with the session', async () => {
    const { access_token: subject, refresh_token: token } = await givenTokens()
    const { body } = await exchange(client, subject)
    await oauth.form('/oauth/revoke', { token }, client)

    expect((await exchange(client, subject)).body.error).toBe('invalid_request')
    const introspected = await oauth.form('/oauth/introspect', { token: body.access_token }, client)
    expect(introspected.body).toEqual({ active: false })
  })

  it('rejects tokens of other clients, of users, ID tokens, and expired ones', async () => {
    const other = await oauth.client({ grant_types: [...commonGrants, tokenExchangeGrant] })
    const foreign = await givenTokens({}, other)
    const own = await givenTokens({ scope: 'openid email' })
    const error = async (token: string, fields: Record<string, string | undefined> = {}) =>
      (await exchange(client, token, fields)).body.error

    expect(await error(foreign.access_token)).toBe('invalid_request')
    expect(await error(own.ownToken)).toBe('invalid_request')
    expect(await error(own.id_token ?? '')).toBe('invalid_request')
    expect(await error(own.refresh_token)).toBe('invalid_request')
    expect(await error(own.access_token, { subject_token_type: undefined })).toBe('invalid_request')
    expect(await error(own.access_token, { actor_token: 'x' })).toBe('invalid_request')
    auth.clock.advance(3601)
    expect(await error(own.access_token)).toBe('invalid_request')
  })

  it('is a grant of confidential clients that an operator created', async () => {
    const ordinary = await oauth.client()
    const { access_token: subject } = await givenTokens({}, ordinary)
    expect((await exchange(ordinary, subject)).body.error).toBe('unauthorized_client')
    expect((await exchange({ ...client, secret: 'wrong' }, subject)).body.error).toBe(
      'invalid_client',
    )
    const registered = await auth.post('/oauth/clients/register', {
      redirect_uris: [callback],
      grant_types: ['authorization_code', tokenExchangeGrant],
    })
    expect([registered.status, registered.body.error]).toEqual([400, 'invalid_client_metadata'])
    const isPublic = oauth.client({
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', tokenExchangeGrant],
    })
    await expect(isPublic).rejects.toThrow('grant_types')
  })
})

describe('a resource that the setting no longer contains', () => {
  it('gets no token by a code, a refresh token or an exchange', async () => {
    const { access_token: subject, refresh_token, ownToken } = await givenTokens({ resource })
    const code = await oauth.code(client, ownToken, { resource })
    const token = { subject_token: subject, subject_token_type: accessType }
    const server = { ...asOauthServer.oauthServer, tokenExchange: { enabled: true } }
    const errors = async (resources: string[]) => {
      const other = await auth.beside({ oauthServer: { ...server, resources } })
      const by = oauthOf({ ...auth, ...requestMethods(other.request) })
      const answers = [
        await by.exchange(client, code),
        await by.refresh(client, refresh_token),
        await by.form('/oauth/token', { grant_type: tokenExchangeGrant, ...token }, client),
      ]
      await other.close()
      return answers.map(({ status, body }) => body.error ?? status)
    }

    expect(await errors(['https://other.example.test'])).toEqual([
      'invalid_grant',
      'invalid_target',
      'invalid_target',
    ])
    expect(await errors([resource])).toEqual([200, 200, 200])
  })
})

describe('a service without the exchange', () => {
  it('does not support the grant', async () => {
    const without = await startTestAuth(asOauthServer)
    const { client: create, form } = oauthOf(without)
    const given = await create()
    const { body } = await form('/oauth/token', { grant_type: tokenExchangeGrant }, given)
    const metadata = await without.get('/.well-known/openid-configuration')

    expect(body.error).toBe('unsupported_grant_type')
    expect(metadata.body.grant_types_supported).not.toContain(tokenExchangeGrant)
    await without.close()
  })
})
