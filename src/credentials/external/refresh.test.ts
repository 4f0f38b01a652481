import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import {
  answering,
  answerJson,
  type ServerAnswer,
  startWebServer,
  type WebServer,
} from '../../../test/support/web-server.ts'
import { systemClock } from '../../platform/kit/clock.ts'
import { safeFetch } from '../../platform/kit/safe-fetch.ts'
import { silentLogger } from '../../platform/observability/logger.ts'
import { oauth2 } from './oauth2.ts'
import { createIssuers } from './protocol/issuers.ts'
import { oauth2Provider } from './protocol/oauth2-provider.ts'
import { isGrantRejection } from './protocol/provider-errors.ts'

let server: WebServer
let answers: ServerAnswer[]

beforeAll(async () => {
  server = await startWebServer((response, heard) =>
    (answers.shift() ?? answering(500))(response, heard),
  )
})
afterAll(() => server.close())
afterEach(() => {
  server.heard.length = 0
})

const json =
  (status: number, body: object): ServerAnswer =>
  (response) =>
    answerJson(response, status, body)

async function refresh(...all: ServerAnswer[]) {
  answers = all
  const client = { clientId: 'our app', clientSecret: 'secret' }
  const access = { fetch: safeFetch, timeoutMs: 2000, clock: systemClock }
  const issuers = createIssuers({
    ...access,
    logger: silentLogger,
    storage: null,
    cacheLifetimeMs: 1000,
  })
  const { definition } = oauth2({
    ...client,
    authorizationUrl: `${server.url}/authorize`,
    tokenUrl: `${server.url}/token`,
    profileUrl: `${server.url}/me`,
  })
  const bound = { ...client, clientIds: [client.clientId], redirectUri: 'https://x/', url: null }
  const provider = oauth2Provider({ ...access, issuers }, 'acme', definition, bound)
  return provider.refresh('canary').then(
    (tokens) => ({ tokens, error: null }),
    (error: unknown) => ({ tokens: null, error }),
  )
}

it('exchanges a refresh token for the response of the provider', async () => {
  const body = {
    access_token: 'a',
    refresh_token: 'b',
    expires_in: 60,
    scope: 'read,write\u0000 x',
  }
  const { tokens } = await refresh(json(200, body))

  expect(tokens).toMatchObject({ accessToken: 'a', refreshToken: 'b', scopes: ['read', 'x'] })
  expect(tokens?.expiresAt?.getTime()).toBeGreaterThan(Date.now() + 50_000)
  expect(Object.fromEntries(new URLSearchParams(server.heard[0]?.text))).toEqual({
    grant_type: 'refresh_token',
    refresh_token: 'canary',
  })
})

it('returns no refresh token, expiry and scopes where the provider returns none', async () => {
  const { tokens } = await refresh(json(200, { access_token: 'a', expires_in: 'soon' }))

  expect(tokens).toEqual({ accessToken: 'a', refreshToken: null, expiresAt: null, scopes: null })
})

it.each([
  [400, 'invalid_grant'],
  [401, 'invalid_grant'],
  [200, 'bad_refresh_token'],
  [200, 'invalid_refresh_token'],
])('reports with %i %s that the refresh token is no longer valid', async (status, error) => {
  const outcome = await refresh(json(status, { error, error_description: 'canary' }))

  expect(isGrantRejection(outcome.error)).toBe(true)
  expect(String(outcome.error)).not.toContain('canary')
  expect(server.heard).toHaveLength(1)
})

it('repeats the request with the client in the body where the header was rejected', async () => {
  const { tokens } = await refresh(
    json(401, { error: 'invalid_client' }),
    json(200, { access_token: 'a' }),
  )

  expect(tokens?.accessToken).toBe('a')
  expect(server.heard[1]?.text).toContain('client_secret=secret')
})

// The token may be consumed by then.
it.each<[string, ServerAnswer]>([
  ['502', answering(502, {}, '<h1>canary</h1>')],
  ['500 and an error', json(500, { error: 'invalid_grant' })],
  ['429', json(429, {})],
  ['200 and no JSON', answering(200, {}, 'canary')],
  ['200 and no token', json(200, { canary: true })],
  ['nothing', (response) => response.destroy()],
])('asks once, and throws no refusal, where the provider answers %s', async (_case, answer) => {
  const { error } = await refresh(answer, json(200, { access_token: 'a' }))

  expect(error).toBeInstanceOf(Error)
  expect(isGrantRejection(error)).toBe(false)
  expect(String(error)).not.toContain('canary')
  expect(server.heard).toHaveLength(1)
})
