import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toNode } from '../src/hosts/adapters/node.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import {
  asOauthServer,
  callback,
  codeChallenge,
  type GivenClient,
  oauthOf,
} from './support/oauth-clients.ts'
import { type ServedCommand, serve } from './support/serve.ts'
import { startTestAuth, type TestAuth } from './support/test-auth.ts'
import { startWireProxy, type WireProxy } from './support/wire-proxy.ts'

// Authorization requests at a server on a socket, whose database is reached through a proxy.

let database: TestDatabase
let proxy: WireProxy
let auth: TestAuth
let oauth: ReturnType<typeof oauthOf>
let server: ServedCommand
let client: GivenClient

beforeAll(async () => {
  database = await createTestDatabase()
  proxy = await startWireProxy(database.url)
  auth = await startTestAuth({ ...asOauthServer, database: { url: proxy.url } })
  oauth = oauthOf(auth)
  server = await serve(toNode(auth.auth) as Parameters<typeof serve>[0])
  client = await oauth.client()
})
afterAll(async () => {
  await server?.close()
  await auth?.close()
  await proxy?.close()
  await database?.drop()
})

const authorize = () =>
  fetch(
    `${server.url}/oauth/authorize?${new URLSearchParams({
      client_id: client.id,
      redirect_uri: callback,
      scope: 'openid',
      state: 'st',
      code_challenge: codeChallenge,
      code_challenge_method: 'S256',
    })}`,
    { redirect: 'manual' },
  )

describe('300 authorization requests at once', () => {
  it('are all answered, each with a request of its own', async () => {
    const answers = await Promise.all(Array.from({ length: 300 }, () => authorize()))

    expect(answers.map(({ status }) => status).filter((status) => status !== 302)).toEqual([])
    const ids = answers.map((answer) => {
      const location = new URL(answer.headers.get('location') ?? '')
      return location.searchParams.get('authorization_id')
    })
    expect(ids.every((id) => id !== null)).toBe(true)
    expect(new Set(ids).size).toBe(300)
    const rows = await auth.rows('select id from auth.oauth_authorizations')
    expect(rows).toHaveLength(300)
  })
})

describe('a database that is not available', () => {
  it('is reported as 503 by each request of clients and browsers, and never as 500', async () => {
    const { accessToken } = await auth.given.session()
    const tokens = await oauth.tokens(client, accessToken, { scope: 'openid' })
    const id = await oauth.begin(client)
    const code = await oauth.code(client, accessToken)
    proxy.cut()
    proxy.refuse()

    const statuses = {
      authorize: (await authorize()).status,
      silent: (await oauth.authorize(client, { prompt: 'none' })).status,
      open: (await oauth.open(id, accessToken)).status,
      consent: (await oauth.decide(id, accessToken)).status,
      exchange: (await oauth.exchange(client, code)).status,
      refresh: (await oauth.refresh(client, tokens.refresh_token)).status,
      userinfo: (await auth.get('/oauth/userinfo', { token: tokens.access_token })).status,
      introspect: (await oauth.form('/oauth/introspect', { token: tokens.access_token }, client))
        .status,
      revoke: (await oauth.form('/oauth/revoke', { token: tokens.refresh_token }, client)).status,
      push: (
        await oauth.form(
          '/oauth/par',
          {
            redirect_uri: callback,
            code_challenge: codeChallenge,
            code_challenge_method: 'S256',
          },
          client,
        )
      ).status,
      logout: (await auth.get(`/oauth/logout?id_token_hint=${tokens.id_token}`)).status,
      register: (await auth.post('/oauth/clients/register', { redirect_uris: [callback] })).status,
    }
    proxy.allow()

    expect(Object.entries(statuses).filter(([, status]) => status !== 503)).toEqual([])
    expect((await auth.get('/.well-known/openid-configuration')).status).toBe(200)
    expect((await oauth.exchange(client, code)).status).toBe(200)
  })
})
