import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MeteredAuth, startMeteredAuth } from '../../../test/support/metered-auth.ts'
import { asOauthServer, oauthOf } from '../../../test/support/oauth-clients.ts'

// Statements per request, measured between the pool and PostgreSQL.

let auth: MeteredAuth
let oauth: ReturnType<typeof oauthOf>

beforeAll(async () => {
  auth = await startMeteredAuth(asOauthServer)
  oauth = oauthOf(auth)
})
afterAll(() => auth.close())

describe('the statements of the OAuth server', () => {
  it('are 2 for an authorization request and a consent, 1 for each request of a client', async () => {
    const client = await oauth.client()
    const { accessToken } = await auth.given.session()
    const statements: Record<string, number> = {}
    const measure = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
      const cost = await auth.measure(work)
      statements[name] = cost.statements
      return cost.result
    }

    const left = await measure('authorize', () =>
      oauth.authorize(client, { scope: 'openid email' }),
    )
    const location = new URL(left.headers.get('location') ?? '')
    const id = location.searchParams.get('authorization_id') ?? ''
    await measure('open', () => oauth.open(id, accessToken))
    const decided = await measure('consent', () => oauth.decide(id, accessToken))
    const code = new URL(decided.body.redirect_url).searchParams.get('code') ?? ''
    const tokens = await measure('exchange', () => oauth.exchange(client, code))
    const token = tokens.body.access_token
    const userinfo = await measure('userinfo', () => auth.get('/oauth/userinfo', { token }))
    await measure('introspect', () => oauth.form('/oauth/introspect', { token }, client))
    const renewed = await measure('refresh', () => oauth.refresh(client, tokens.body.refresh_token))
    await measure('revoke', () =>
      oauth.form('/oauth/revoke', { token: renewed.body.refresh_token }, client),
    )

    expect([tokens.status, userinfo.status, renewed.status]).toEqual([200, 200, 200])
    expect(statements).toEqual({
      authorize: 2,
      open: 2,
      consent: 2,
      exchange: 1,
      userinfo: 1,
      introspect: 1,
      refresh: 1,
      revoke: 1,
    })
  })
})
