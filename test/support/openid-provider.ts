import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type Context } from 'oidc-provider'

/** The claims of a user at the provider. */
export type OpenIdAccount = { sub: string } & Record<string, unknown>

export interface OpenIdProvider extends AsyncDisposable {
  issuer: string
  /** The user of the next sign-in. */
  signsIn: OpenIdAccount
  /** The errors that it returned. */
  refusals: string[]
  close(): Promise<void>
}

export interface OpenIdProviderOptions {
  clientId: string
  clientSecret: string
  redirectUri: string
  /** The algorithm of id tokens. Default `RS256`. */
  alg?: 'RS256' | 'PS256' | 'ES256' | 'EdDSA'
  /** The client authentication. Default `client_secret_basic`. */
  authentication?: 'client_secret_basic' | 'client_secret_post'
  /** True where the id token contains the claims. Default false: the user info contains them. */
  addsEmailToIdToken?: boolean
  /** True where it shows a page with a button first. Default false. */
  asks?: boolean
}

/**
 * Starts an OpenID Connect provider from an independent library, on loopback. It requires a code
 * challenge and a nonce, and signs in the user in `signsIn` without a prompt.
 */
export async function startOpenIdProvider({
  clientId,
  clientSecret,
  redirectUri,
  alg = 'RS256',
  authentication = 'client_secret_basic',
  addsEmailToIdToken = false,
  asks = false,
}: OpenIdProviderOptions): Promise<OpenIdProvider> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const running: Pick<OpenIdProvider, 'signsIn' | 'refusals'> = {
    signsIn: { sub: 'ada' },
    refusals: [],
  }
  const accounts = new Map<string, OpenIdAccount>()

  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...keyFor(alg), alg, kid: 'key-1', use: 'sig' }] },
    adapter: storeOf(),
    cookies: { keys: ['a secret of cookies that is of no use'] },
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        id_token_signed_response_alg: alg,
        token_endpoint_auth_method: authentication,
      },
    ],
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    enabledJWA: { idTokenSigningAlgValues: [alg] },
    pkce: { required: () => true },
    ttl: {
      AccessToken: 600,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      RefreshToken: 600,
      Session: 600,
    },
    features: { devInteractions: { enabled: false } },
    conformIdTokenClaims: !addsEmailToIdToken,
    claims: { email: ['email', 'email_verified'], profile: ['name', 'picture', 'locale'] },
    interactions: { url: () => '/interaction' },
    findAccount: (_context: Context, accountId: string) => ({
      accountId,
      claims: () => accounts.get(accountId),
    }),
    loadExistingGrant: async ({ oidc }: Context) => {
      const { accountId } = oidc.session
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId })
      grant.addOIDCScope(oidc.params.scope)
      await grant.save()
      return grant
    },
  })
  for (const event of ['grant.error', 'authorization.error', 'userinfo.error', 'server_error']) {
    provider.on(event, (_context, error) => running.refusals.push(String(error)))
  }

  const answer = provider.callback()
  server.on('request', (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', issuer)
    if (pathname === '/interaction' && asks && request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      response.end(consentPage)
    } else if (pathname === '/interaction') {
      const { signsIn } = running
      accounts.set(signsIn.sub, signsIn)
      void provider.interactionFinished(request, response, { login: { accountId: signsIn.sub } })
    } else if (pathname === '/auth' && !searchParams.has('nonce')) {
      response.writeHead(400).end('a nonce is required')
    } else answer(request, response)
  })

  const close = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return Object.assign(running, { issuer, close, [Symbol.asyncDispose]: close })
}

const consentPage = `<!doctype html>
<title>Acme</title>
<link rel="icon" href="data:,">
<form method="post"><button>Let the application know who I am</button></form>
`

/** Stores the provider's data in memory. Its own adapter prints a warning at each start. */
function storeOf() {
  const stored = new Map<string, Record<string, unknown>>()
  return (model: string) => {
    const keyOf = (id: string) => `${model} ${id}`
    const findBy = (member: string, value: string) =>
      [...stored].find(([key, item]) => key.startsWith(`${model} `) && item[member] === value)?.[1]
    return {
      upsert: async (id: string, item: Record<string, unknown>) => void stored.set(keyOf(id), item),
      find: async (id: string) => stored.get(keyOf(id)),
      findByUid: async (uid: string) => findBy('uid', uid),
      findByUserCode: async (code: string) => findBy('userCode', code),
      destroy: async (id: string) => void stored.delete(keyOf(id)),
      consume: async (id: string) => {
        const item = stored.get(keyOf(id))
        if (item) item['consumed'] = Math.floor(Date.now() / 1000)
      },
      revokeByGrantId: async (grantId: string) => {
        for (const [key, item] of stored) if (item['grantId'] === grantId) stored.delete(key)
      },
    }
  }
}

function keyFor(alg: 'RS256' | 'PS256' | 'ES256' | 'EdDSA'): object {
  const { privateKey } =
    alg === 'EdDSA'
      ? generateKeyPairSync('ed25519')
      : alg === 'ES256'
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
        : generateKeyPairSync('rsa', { modulusLength: 2048 })
  return privateKey.export({ format: 'jwk' })
}

/**
 * Follows redirects as a browser does, with cookies, up to `end`.
 *
 * @returns the parameters of that redirect.
 */
export async function followTo(end: string, start: string): Promise<URLSearchParams> {
  const cookies = new Map<string, string>()
  let url = start
  for (let steps = 0; steps < 10; steps++) {
    if (url.startsWith(end)) return new URL(url).searchParams
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (!location) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
    url = new URL(location, url).href
  }
  throw new Error('sent on and on')
}
