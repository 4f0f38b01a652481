import { createHash, randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Fetch } from '../../../src/credentials/external/protocol/request-provider.ts'
import { type ProviderName, providerNames } from '../../../src/platform/config/provider-names.ts'
import { type Clock, systemClock } from '../../../src/platform/kit/clock.ts'
import { safeFetch } from '../../../src/platform/kit/safe-fetch.ts'
import { issuerKey, publicJwk, signAs } from '../openid-issuer.ts'
import { answerJson, type Heard, startWebServer } from '../web-server.ts'
import { type Agreement, isBound, provenBy } from './agreement.ts'
import { clientId, clientSecret, type FakeProvider, type Person } from './fake-provider.ts'
import { fakeProviders } from './fake-providers.ts'
import { fakeTwitter } from './fake-twitter.ts'
import { makeTrouble, type Trouble } from './trouble.ts'

/** The behaviour of a provider, until it is changed. */
export interface Scene {
  /** Default: Ada, with a verified address. */
  person?: Person
  /** The behaviour of the token endpoint. */
  token?: Trouble | 'refuses-basic' | 'without-id-token'
  /** The behaviour of the other endpoints of the provider. */
  profile?: Trouble
  /** Claims of the id token beside or in place of the usual ones. */
  claims?: Record<string, unknown>
  /** Accepts client secrets. Default: only that of the tests. */
  isSecret?(secret: string): boolean
}

export interface ProviderServer extends AsyncDisposable {
  /** Returns the base URL of a provider, for `providers.<name>.url`. */
  baseOf(name: ProviderName): string
  /** Sets the behaviour of a provider. */
  play(name: ProviderName, scene: Scene): void
  /**
   * Fetches as on the Internet, with all hosts belonging to one provider. The header `x-host`
   * contains the host.
   */
  fetchAs(name: ProviderName): Fetch
  /**
   * Opens an authorization URL, consents, and returns the parameters of the callback.
   *
   * @throws Error when the provider does not redirect back with a code.
   */
  agree(name: ProviderName, url: string): Promise<URLSearchParams>
  /** Returns the requests to a provider since its behaviour was set. */
  heardAs(name: ProviderName): Heard[]
  close(): Promise<void>
}

export const ada: Person = { email: 'ada@example.com', isVerified: true }

const key = issuerKey('RS256', 'key')
const accessToken = 'access-token'

/** Starts all built-in providers, each below its name, with their own formats. */
export async function startProviders(clock: Clock = systemClock): Promise<ProviderServer> {
  const scenes = new Map<ProviderName, Scene>()
  const agreements = new Map<string, Agreement>()
  const answerAsTwitter = fakeTwitter()
  const played = new Map<ProviderName, Heard[]>()

  const server = await startWebServer((response, heard) => {
    const [, name, below = ''] = /^\/(\w+)(.*)$/.exec(heard.path) ?? []
    const provider = providerNames.find((one) => one === name)
    if (!provider) {
      answerJson(response, 404, {})
      return
    }
    played.get(provider)?.push({ ...heard, path: below })
    const { 'x-host': host } = heard.headers
    const base = typeof host === 'string' ? `https://${host}` : `${server.url}/${provider}`
    answer(response, { ...heard, path: below }, { provider, base, isOwnHost: host !== undefined })
  })

  interface Place {
    provider: ProviderName
    /** The part of the requested URL before the path. */
    base: string
    isOwnHost: boolean
  }

  function answer(response: ServerResponse, heard: Heard, place: Place): void {
    const scene = scenes.get(place.provider) ?? {}
    const url = new URL(`${place.base}${heard.path}`)
    const path = heard.path.replace(/\?.*/, '')
    if (path.endsWith(discovery)) {
      answerDiscovery(response, place, path)
      return
    }
    if (path === '/keys') {
      answerJson(response, 200, { keys: [publicJwk(key)] })
      return
    }
    if (place.provider === 'twitter') {
      const trouble = path === '/oauth/access_token' ? scene.token : scene.profile
      const isAfter = path !== '/oauth/authenticate' && path !== '/oauth/request_token'
      if (isAfter && makeTrouble(response, trouble)) return
      const person = scene.person ?? ada
      if (!answerAsTwitter(response, heard, { url: url.href, path, person }))
        answerJson(response, 404, {})
      return
    }
    const fake = fakeProviders[place.provider]
    if (path === endpointOf(fake.authorize, place)) {
      answerAuthorization(response, fake, url)
      return
    }
    if (path === endpointOf(fake.token, place)) {
      answerTokens(response, heard, fake, place)
      return
    }
    answerProfile(response, heard, fake, place)
  }

  function answerDiscovery(response: ServerResponse, { base }: Place, path: string): void {
    answerJson(response, 200, {
      issuer: `${base}${path.slice(0, -discovery.length)}`,
      jwks_uri: `${base}/keys`,
      id_token_signing_alg_values_supported: ['RS256'],
    })
  }

  function answerAuthorization(response: ServerResponse, fake: FakeProvider, url: URL): void {
    const requested = url.searchParams
    const redirectUri = requested.get('redirect_uri')
    if (
      requested.get('client_id') !== clientId ||
      requested.get('response_type') !== 'code' ||
      !redirectUri
    ) {
      answerJson(response, 400, { error: 'invalid_request' })
      return
    }
    const code = randomUUID()
    agreements.set(code, {
      redirectUri,
      codeChallenge: requested.get('code_challenge'),
      nonce: requested.get('nonce'),
    })
    const back = new URLSearchParams({ code, state: requested.get('state') ?? '' })
    if (requested.get('response_mode') === 'form_post') {
      for (const [name, value] of Object.entries(fake.formFields ?? {})) back.set(name, value)
      response.writeHead(200, { 'x-form': back.toString() }).end()
      return
    }
    const target = new URL(redirectUri)
    for (const [name, value] of back) target.searchParams.set(name, value)
    response.writeHead(302, { location: target.href }).end()
  }

  function answerTokens(
    response: ServerResponse,
    heard: Heard,
    fake: FakeProvider,
    place: Place,
  ): void {
    const scene = scenes.get(place.provider) ?? {}
    const { token: trouble, isSecret = (secret) => secret === clientSecret } = scene
    if (makeTrouble(response, trouble)) return
    const body = new URLSearchParams(heard.text)
    const method = provenBy(heard, body, isSecret)
    const isRefused =
      method === null ||
      (fake.accepts !== undefined && fake.accepts !== method) ||
      (trouble === 'refuses-basic' && method === 'basic')
    if (isRefused) {
      answerJson(response, 401, { error: 'invalid_client' })
      return
    }
    const agreement = agreements.get(body.get('code') ?? '')
    agreements.delete(body.get('code') ?? '')
    if (!agreement || !isBound(agreement, body)) {
      answerJson(response, 400, { error: 'invalid_grant' })
      return
    }
    const tokens = {
      access_token: accessToken,
      token_type: 'bearer',
      expires_in: 3600,
      refresh_token: 'refresh-token',
      ...fake.tokens?.(scene.person ?? ada),
      ...(trouble === 'without-id-token' ? {} : idTokenOf(fake, agreement, place)),
    }
    const isForm = trouble === 'form' || (fake.prefersForms && heard.headers.accept !== json)
    if (!isForm) {
      answerJson(response, 200, tokens)
      return
    }
    const form = new URLSearchParams(
      Object.entries(tokens).map(([name, value]): [string, string] => [name, String(value)]),
    )
    response.writeHead(200, { 'content-type': 'application/x-www-form-urlencoded' }).end(`${form}`)
  }

  function idTokenOf(fake: FakeProvider, { nonce }: Agreement, place: Place) {
    if (!fake.claims) return {}
    const scene = scenes.get(place.provider) ?? {}
    const seconds = Math.floor(clock.now().getTime() / 1000)
    const digest = createHash('sha256').update(accessToken).digest()
    const claims = {
      iss: fake.issuer?.(place.isOwnHost ? null : place.base),
      aud: clientId,
      iat: seconds,
      exp: seconds + 600,
      at_hash: digest.subarray(0, 16).toString('base64url'),
      ...(nonce === null || fake.lacksNonce ? {} : { nonce }),
      ...fake.claims(scene.person ?? ada),
      ...scene.claims,
    }
    return { id_token: signAs(key, claims) }
  }

  function answerProfile(
    response: ServerResponse,
    { path, headers }: Heard,
    { documents = {}, requires = {} }: FakeProvider,
    place: Place,
  ): void {
    const scene = scenes.get(place.provider) ?? {}
    const whole = decodeURIComponent(path)
    // Some hosts have a path prefix of their own.
    const found = Object.entries(documents).find(([one]) =>
      [whole, whole.replace(/\?.*/, '')].some((requested) => requested === endpointOf(one, place)),
    )
    if (!found) {
      answerJson(response, 404, {})
      return
    }
    if (makeTrouble(response, scene.profile)) return
    if (headers.authorization !== `Bearer ${accessToken}`) {
      answerJson(response, 401, {})
      return
    }
    const isWhole = Object.entries(requires).every(([name, value]) => headers[name] === value)
    answerJson(response, isWhole ? 200 : 400, isWhole ? found[1](scene.person ?? ada) : {})
  }

  const fetchAs =
    (name: ProviderName): Fetch =>
    (target, options) => {
      const url = new URL(target)
      if (url.origin === server.url) return safeFetch(target, options)
      return safeFetch(`${server.url}/${name}${url.pathname}${url.search}`, {
        ...options,
        trust: 'operator',
        headers: { ...options.headers, 'x-host': url.host },
      })
    }

  return {
    fetchAs,
    baseOf: (name) => `${server.url}/${name}`,
    play: (name, scene) => {
      scenes.set(name, scene)
      played.set(name, [])
    },
    async agree(name, url) {
      const { status, headers } = await fetchAs(name)(url, { trust: 'operator' })
      const { location, 'x-form': form } = headers
      if (typeof form === 'string') return new URLSearchParams(form)
      if (status !== 302 || !location) throw new Error(`${name} answered ${status} to ${url}`)
      return new URL(location).searchParams
    },
    heardAs: (name) => played.get(name) ?? [],
    close: server.close,
    [Symbol.asyncDispose]: server.close,
  }
}

const discovery = '/.well-known/openid-configuration'
const json = 'application/json'

/** Returns the path of an endpoint. Some hosts have other paths than those below a common base. */
function endpointOf(
  path: string,
  { provider, isOwnHost }: { provider: ProviderName; isOwnHost: boolean },
): string {
  if (!isOwnHost) return path
  if (provider === 'azure') return `/common${path}`
  if (provider === 'github') return path.replace('/api/v3', '')
  return provider === 'spotify' && path === '/me' ? '/v1/me' : path
}
