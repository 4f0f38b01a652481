import * as oauth from 'oauth4webapi'
import type { AuthConfig } from '../../src/index.ts'
import { type MessagingAuth, startMessagingAuth } from './messages.ts'
import { asOauthServer } from './oauth-clients.ts'
import { openBrowser, origin } from './page-browser.ts'
import { testPassword } from './test-auth.ts'

// A relying party whose checks are those of an independent library, and the browser of its user.

export const issuer = `${origin}/auth`
export const callback = 'https://client.example.test/cb'
/** The number of seconds between two steps of a test. */
const secondsBetween = 2

/** The end of a browser flow at the provider. */
export interface FlowEnd {
  /** The URL of the relying party; null where the provider shows a page in place of a redirect. */
  url: URL | null
  status: number
  text: string
  /** The pages of the provider on the way. */
  pages: string[]
}

/** The tokens of a relying party, as the library has verified them. */
export interface VerifiedTokens {
  tokens: oauth.TokenEndpointResponse
  claims: oauth.IDToken
}

/** Starts a provider with pages, dynamic registration and a key pair. */
export async function startConformance({ jwt, oauthServer }: AuthConfig = {}) {
  const auth = await startMessagingAuth({
    jwt: { ...asOauthServer.jwt, issuer, ...jwt },
    siteUrl: origin,
    basePath: '/auth',
    oauthServer: { enabled: true, allowDynamicRegistration: true, ...oauthServer },
    pages: { enabled: true, name: 'Acme' },
    rateLimits: { oauthDynamicClientRegister: 'off', emailSent: 'off' },
  })
  // The library compares tokens with the time of this machine.
  auth.clock.advance((Date.now() - auth.clock.now().getTime()) / 1000)
  const send: typeof fetch = async (url, init) => auth.auth.fetch(new Request(url as string, init))
  const inProcess = { [oauth.customFetch]: send as never }
  const at = new URL(issuer)
  const discovered = await oauth.discoveryRequest(at, inProcess)
  const server = await oauth.processDiscoveryResponse(at, discovered)
  return { auth, send, inProcess, server, ...stepsOf(auth, server, inProcess) }
}

export type Conformance = Awaited<ReturnType<typeof startConformance>>
export type Registered = oauth.Client & { client_secret?: string }

function stepsOf(
  auth: MessagingAuth,
  server: oauth.AuthorizationServer,
  inProcess: { [oauth.customFetch]: never },
) {
  /** Registers a client of its own accord. @see RFC 7591 §3 */
  const register = async (metadata: Record<string, unknown> = {}): Promise<Registered> => {
    const given = { redirect_uris: [callback], client_name: 'Notes', ...metadata }
    const answer = await oauth.dynamicClientRegistrationRequest(
      server,
      given as Partial<oauth.Client>,
      inProcess,
    )
    return (await oauth.processDynamicClientRegistrationResponse(answer)) as Registered
  }
  const user = async () => {
    const { id, email } = await auth.given.user()
    return { id, email: email ?? '', browser: openBrowser(auth) }
  }
  type User = Awaited<ReturnType<typeof user>>

  /** Lets a browser follow a URL, and completes each page of the provider as its user would. */
  const visit = async ({ browser, email }: Omit<User, 'id'>, url: string): Promise<FlowEnd> => {
    const pages: string[] = []
    let at = new URL(url, origin)
    let answer = await browser.get(at.href)
    for (let step = 0; step < 12; step += 1) {
      const path = `${at.pathname}${at.search}`
      const location = answer.headers.get('location')
      if (location !== null) {
        at = new URL(location, origin)
        if (at.origin !== origin) return { ...answer, url: at, pages }
        answer = await browser.get(`${at.pathname}${at.search}`)
      } else if (answer.status === 200 && at.pathname === '/auth/sign-in') {
        pages.push('sign-in')
        auth.clock.advance(secondsBetween)
        const fields = { identifier: email, password: testPassword }
        answer = await browser.submit(path, 'password', fields)
      } else if (answer.status === 200 && at.pathname === '/auth/consent') {
        pages.push('consent')
        const names = [...answer.text.matchAll(/name="(scope:[^"]+)" value="on"/g)]
        const fields = Object.fromEntries(names.map(([, name = '']) => [name, 'on']))
        answer = await browser.submit(path, 'allow', fields)
      } else {
        return { ...answer, url: null, pages }
      }
    }
    throw new Error('the browser flow does not end')
  }

  /** The URL of an authorization request, with PKCE as the provider requires it. */
  const requestOf = async (
    client: Registered,
    parameters: Record<string, string | undefined> = {},
  ) => {
    const verifier = oauth.generateRandomCodeVerifier()
    const given = {
      client_id: client.client_id,
      redirect_uri: callback,
      response_type: 'code',
      scope: 'openid',
      state: oauth.generateRandomState(),
      nonce: oauth.generateRandomNonce(),
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...parameters,
    }
    const present = Object.entries(given).filter(([, value]) => value !== undefined)
    const query = new URLSearchParams(present as [string, string][])
    const { state, nonce, redirect_uri: redirectUri } = given
    return {
      url: `${server.authorization_endpoint}?${query}`,
      query,
      verifier,
      state,
      nonce,
      redirectUri,
    }
  }
  type Begun = Awaited<ReturnType<typeof requestOf>>

  const authenticationOf = ({ client_secret: secret = '' }: Registered) =>
    oauth.ClientSecretBasic(secret)

  /** Exchanges the code of a callback, and verifies response, claims and signature. */
  const exchange = async (
    client: Registered,
    url: URL,
    { verifier, state, nonce, redirectUri }: Begun,
    authenticate = authenticationOf(client),
  ): Promise<VerifiedTokens> => {
    const parameters = oauth.validateAuthResponse(server, client, url, state)
    const answer = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authenticate,
      parameters,
      redirectUri,
      verifier,
      inProcess,
    )
    const expected = { requireIdToken: true, expectedNonce: nonce ?? oauth.expectNoNonce }
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, expected)
    await oauth.validateApplicationLevelSignature(server, answer, inProcess)
    const claims = oauth.getValidatedIdTokenClaims(tokens)
    if (!claims) throw new Error('there is no ID token')
    return { tokens, claims }
  }

  /** A whole flow of a user. */
  const signIn = async (
    client: Registered,
    by: User,
    parameters: Record<string, string | undefined> = {},
  ) => {
    const begun = await requestOf(client, parameters)
    const end = await visit(by, begun.url)
    if (end.url === null) throw new Error(`${end.status} ${end.text}`)
    return { ...(await exchange(client, end.url, begun)), ...end, url: end.url, begun }
  }

  const userinfo = async (client: Registered, { tokens, claims }: VerifiedTokens) => {
    const answer = await oauth.userInfoRequest(server, client, tokens.access_token, inProcess)
    return oauth.processUserInfoResponse(server, client, claims.sub, answer)
  }

  return { register, user, visit, requestOf, exchange, signIn, userinfo, authenticationOf }
}

/** Returns the error of a callback. */
export const errorOf = ({ url }: Pick<FlowEnd, 'url'>): string | null =>
  url?.searchParams.get('error') ?? null
