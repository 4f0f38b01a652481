import { createHash, randomBytes } from 'node:crypto'
import * as client from 'openid-client'
import { Strategy } from 'passport-openidconnect'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { codeBlocks } from './support/markdown.ts'
import {
  asOauthServer,
  callback,
  claimsIn,
  type GivenClient,
  locationOf,
  oauthOf,
} from './support/oauth-clients.ts'
import { startTestAuth, type TestAuth } from './support/test-auth.ts'

// The relying parties of docs/oauth-server.md are executed as they are printed there.

const documentedIssuer = 'https://app.example.com/auth'
const documentedCallback = 'https://client.example.com/cb'
const issuer = 'https://auth.example.test'

let auth: TestAuth

beforeAll(async () => {
  auth = await startTestAuth(asOauthServer)
  // The libraries compare tokens with the clock of this process.
  auth.clock.advance((Date.now() - auth.clock.now().getTime()) / 1000)
})
afterAll(() => auth.close())

/** Returns the block that imports a package, without its imports. */
function documented(name: string): string {
  const blocks = codeBlocks.filter(
    ({ at, code }) => at.startsWith('docs/oauth-server.md:') && code.includes(`from '${name}'`),
  )
  expect(blocks).toHaveLength(1)
  const code = blocks[0]?.code ?? ''
  return code.replaceAll(/^import .*$/gm, '')
}

/** Runs code of the documentation, which knows the given names only. */
function run<T>(code: string, given: Record<string, unknown>): Promise<T> {
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor
  return new AsyncFunction(...Object.keys(given), code)(...Object.values(given))
}

/** Follows an authorization request as a user who consents. */
async function consent(url: URL): Promise<{ target: URL; userId: string }> {
  const { accessToken, user } = await auth.given.session()
  const id = locationOf(await auth.get(`${url.pathname}${url.search}`)).searchParams
  const oauth = oauthOf(auth)
  const authorization = id.get('authorization_id') ?? ''
  await oauth.open(authorization, accessToken)
  const { body } = await oauth.decide(authorization, accessToken)
  return { target: new URL(body.redirect_url), userId: user.id }
}

/** Passes requests of a library to the service, without a network. */
const toService: typeof fetch = (input, init) => auth.auth.fetch(new Request(input, init))

/** The package, whose requests go to the service. */
const openidClient = {
  ...client,
  discovery: (
    server: URL,
    clientId: string,
    metadata: undefined,
    authentication: client.ClientAuth,
  ) =>
    client.discovery(server, clientId, metadata, authentication, {
      [client.customFetch]: toService as client.CustomFetch,
    }),
}

it('openid-client signs a user in with the lines of the documentation', async () => {
  const [before = '', after = ''] = documented('openid-client').split('// After the redirect:\n')
  expect(before).toContain(documentedIssuer)
  const { id, secret } = await oauthOf(auth).client({
    token_endpoint_auth_method: 'client_secret_basic',
  })
  const code = `${before}
    const { callbackUrl, userId } = await redirect(url)
    ${after}
    return { tokens, claims: tokens.claims(), userId }`
  const local = code.replace(documentedIssuer, issuer).replace(documentedCallback, callback)

  const { tokens, claims, userId } = await run<{
    tokens: client.TokenEndpointResponse
    claims: client.IDToken
    userId: string
  }>(local, {
    client: openidClient,
    clientId: id,
    clientSecret: secret,
    redirect: async (url: URL) => {
      const { target, userId } = await consent(url)
      return { callbackUrl: target, userId }
    },
  })

  expect(claims).toMatchObject({ iss: issuer, aud: id, sub: userId })
  expect(claimsIn(tokens.access_token)).toMatchObject({ sub: userId, client_id: id })
  expect(tokens.scope?.split(' ').toSorted()).toEqual(['email', 'openid'])
})

interface Tokens {
  error: { statusCode?: number } | null
  accessToken?: string
}

/** Makes the strategy of the documentation, whose requests go to the service. */
async function documentedStrategy({ id, secret }: GivenClient) {
  const WithCodeChallenge = await run<typeof Strategy>(
    `${documented('passport-openidconnect')}\nreturn WithCodeChallenge`,
    { createHash, randomBytes, Strategy },
  )
  const strategy = new WithCodeChallenge(
    {
      issuer,
      clientID: id,
      clientSecret: secret,
      authorizationURL: `${issuer}/oauth/authorize`,
      tokenURL: `${issuer}/oauth/token`,
      userInfoURL: `${issuer}/oauth/userinfo`,
      callbackURL: callback,
    },
    () => {},
  )
  // The method of the library that sends requests.
  Object.assign(strategy._oauth2, {
    _request: async (
      method: string,
      url: string,
      headers: Record<string, string>,
      body: string,
      _token: string,
      done: (error: object | null, text?: string) => void,
    ) => {
      const answer = await toService(url, { method, headers, body })
      const data = await answer.text()
      if (answer.ok) done(null, data)
      else done({ statusCode: answer.status, data })
    },
  })
  const exchange = (code: string) =>
    new Promise<Tokens>((resolve) => {
      const grant = { grant_type: 'authorization_code', redirect_uri: callback }
      strategy._oauth2.getOAuthAccessToken(code, grant, (error, accessToken) =>
        resolve({ error: error as Tokens['error'], accessToken: accessToken as string }),
      )
    })
  return { strategy, exchange }
}

it('passport-openidconnect sends the code challenge of the class in the documentation', async () => {
  const given = await oauthOf(auth).client({ token_endpoint_auth_method: 'client_secret_post' })
  const { strategy, exchange } = await documentedStrategy(given)
  const other = await documentedStrategy(given)
  const url = new URL(`${issuer}/oauth/authorize`)
  url.search = `${new URLSearchParams({
    client_id: given.id,
    redirect_uri: callback,
    response_type: 'code',
    scope: 'openid email',
    ...strategy.authorizationParams({}),
  })}`

  const { target, userId } = await consent(url)
  const code = target.searchParams.get('code') ?? ''
  const rejected = await other.exchange(code)
  const { accessToken = '' } = await exchange(code)

  // The verifier of another sign-in.
  expect(rejected.error).toMatchObject({ statusCode: 400 })
  expect(claimsIn(accessToken)).toMatchObject({ sub: userId, client_id: given.id })
})
