import { randomUUID } from 'node:crypto'
import type { AuthConfig } from '../../src/platform/config/auth-config.ts'
import type {
  ExternalEmail,
  ExternalProfile,
} from '../../src/platform/config/sections/provider-definition.ts'
import type { ProviderConfig } from '../../src/platform/config/sections/providers.ts'
import type { Answer, RequestOptions, TestAuth } from './test-auth.ts'
import { startWebServer } from './web-server.ts'

/** What a realm says of somebody. */
export interface RealmPerson {
  sub: string
  name?: string
  email?: string
  email_verified?: boolean
  [claim: string]: unknown
}

/** A Keycloak realm that signs in whoever the test says, over HTTP. */
export interface FakeRealm {
  url: string
  /** The code that the realm would send this person back with. */
  codeFor(person: RealmPerson): string
  /** Answers in place of the realm, until it is given back. */
  fail: 'token' | 'userinfo' | null
  /** Whether a refresh token comes with the tokens of a code: one that is good once, or for ever. Default: none. */
  refreshTokens: 'rotating' | 'lasting' | null
  /** The refresh tokens that came, each time. */
  refreshed: string[]
  /** Waited for before a refresh token is answered, once it is spent. */
  beforeRefresh: () => Promise<void>
  /** Makes all refresh tokens worthless. */
  revoke(): void
  close(): Promise<void>
  /** How long its access tokens live, in seconds. */
  expiresInSeconds: number
}

export async function startFakeRealm(): Promise<FakeRealm> {
  const people = new Map<string, RealmPerson>()
  const refreshTokens = new Map<string, RealmPerson>()
  const realm: Pick<
    FakeRealm,
    'fail' | 'refreshTokens' | 'refreshed' | 'beforeRefresh' | 'expiresInSeconds'
  > = {
    fail: null,
    refreshTokens: null,
    refreshed: [],
    expiresInSeconds: 300,
    beforeRefresh: async () => {},
  }
  const base = '/protocol/openid-connect'
  const issue = (person: RealmPerson, accessToken: string, kept?: string) => {
    people.set(accessToken, person)
    const refreshToken = kept ?? (realm.refreshTokens && `refresh ${randomUUID()}`)
    if (refreshToken) refreshTokens.set(refreshToken, person)
    return {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: realm.expiresInSeconds,
      ...(refreshToken && { refresh_token: refreshToken, scope: 'openid email' }),
    }
  }
  const server = await startWebServer(async (response, { path, text, headers }) => {
    const answer = (body: object, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (path.startsWith(`${base}/token`) && realm.fail !== 'token') {
      const grant = new URLSearchParams(text)
      const refreshToken = grant.get('refresh_token')
      if (refreshToken !== null) {
        realm.refreshed.push(refreshToken)
        const known = refreshTokens.get(refreshToken)
        const isLasting = realm.refreshTokens === 'lasting'
        if (!isLasting) refreshTokens.delete(refreshToken)
        await realm.beforeRefresh()
        if (!known) return answer({ error: 'invalid_grant' }, 400)
        return answer(issue(known, `renewed ${randomUUID()}`, isLasting ? refreshToken : undefined))
      }
      const code = grant.get('code') ?? ''
      const person = people.get(code)
      people.delete(code)
      if (!person) return answer({ error: 'invalid_grant' }, 400)
      return answer(issue(person, `token of ${code}`))
    }
    if (path.startsWith(`${base}/userinfo`) && realm.fail !== 'userinfo') {
      const person = people.get((headers.authorization ?? '').replace('Bearer ', ''))
      return person ? answer(person) : answer({ error: 'invalid_token' }, 401)
    }
    return response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>')
  })
  return Object.assign(realm, {
    url: server.url,
    codeFor: (person: RealmPerson) => {
      const code = randomUUID()
      people.set(code, person)
      return code
    },
    revoke: () => refreshTokens.clear(),
    close: server.close,
  })
}

/** Settings of a provider that is such a realm. */
export const realmSettings = ({ url }: Pick<FakeRealm, 'url'>) =>
  ({ clientId: 'client', clientSecret: 'secret', url }) satisfies NonNullable<
    AuthConfig['providers']
  >[string]

/** A provider that says of a person what the realm does, word by word: with several addresses, or with anything at all. */
export const clubSettings = (
  { url }: Pick<FakeRealm, 'url'>,
  settings: Partial<ProviderConfig> = {},
): ProviderConfig => ({
  clientId: 'client',
  clientSecret: 'secret',
  definition: {
    label: 'Club',
    endpoints: () => ({
      authorization: `${url}/auth`,
      token: `${url}/protocol/openid-connect/token`,
      userInfo: `${url}/protocol/openid-connect/userinfo`,
    }),
    readProfile: async ({ get, endpoints }) =>
      (await get(endpoints.userInfo ?? '')).value('profile') as ExternalProfile,
  },
  ...settings,
})

/** Somebody whom the club knows by these addresses: the first is the primary one. */
export const clubMember = (
  subject: string,
  emails: readonly Omit<ExternalEmail, 'isPrimary'>[],
  claims: Readonly<Record<string, unknown>> = {},
): RealmPerson => ({
  sub: subject,
  profile: {
    subject,
    emails: emails.map((email, index) => ({ ...email, isPrimary: index === 0 })),
    claims,
  } satisfies ExternalProfile,
})

/** A browser with cookies, for flows through a provider. */
export interface TestBrowser {
  /** `GET /authorize`, with the parameters of a query. */
  authorize(query?: Record<string, string>): Promise<{ answer: Answer; state: string }>
  /** A `GET` of the redirect URI of the flow, with the parameters of a query. */
  sendCallback(query: Record<string, string>): Promise<CallbackResult>
  get(path: string, options?: RequestOptions): Promise<Answer>
  /** Submits a form, as the page of a provider does. */
  submit(path: string, form: URLSearchParams): Promise<Answer>
}

/** The redirect at the end of a flow. */
export interface CallbackResult {
  status: number
  location: URL
  query: Record<string, string>
  fragment: Record<string, string>
}

export function openBrowser(auth: Pick<TestAuth, 'request'>): TestBrowser {
  const cookies = new Map<string, string>()
  const ask = async (method: string, path: string, options: RequestOptions = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await auth.request(method, path, {
      ...options,
      headers: { ...options.headers, ...(cookie && { cookie }) },
    })
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const at = pair.indexOf('=')
      cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
    return answer
  }
  const get = (path: string, options?: RequestOptions) => ask('GET', path, options)
  return {
    get,
    submit: (path, form) =>
      ask('POST', path, {
        body: form.toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    authorize: async (query = {}) => {
      const answer = await get(
        `/authorize?${new URLSearchParams({ provider: 'keycloak', ...query })}`,
      )
      const location = answer.headers.get('location')
      return { answer, state: location ? noteCallbackPath(location) : '' }
    },
    sendCallback: async (query) => {
      const path = callbackPathFor(query['state'])
      return redirectOf(await get(`${path}?${new URLSearchParams(query)}`))
    },
  }
}

/** By the state of a flow: the path of its redirect URI. Browsers of one test share it. */
const callbackPaths = new Map<string, string>()

/** The path that the provider redirects to with this state. */
export const callbackPathFor = (state = ''): string => callbackPaths.get(state) ?? '/callback'

/** Stores the path of the redirect URI in an authorization URL. @returns the state of the URL. */
export function noteCallbackPath(authorizationUrl: string): string {
  const state = new URL(authorizationUrl).searchParams.get('state') ?? ''
  callbackPaths.set(state, callbackPathOf(authorizationUrl))
  return state
}

/** The path of the redirect URI in an authorization URL, below that of the service. */
function callbackPathOf(authorizationUrl: string): string {
  const { searchParams } = new URL(authorizationUrl)
  const { pathname } = new URL(searchParams.get('redirect_uri') ?? 'https://app.test/callback')
  return pathname.slice(pathname.indexOf('/callback'))
}

export function redirectOf({ status, headers }: Answer): CallbackResult {
  const location = new URL(headers.get('location') ?? 'about:blank')
  return {
    status,
    location,
    query: Object.fromEntries(location.searchParams),
    fragment: Object.fromEntries(new URLSearchParams(location.hash.slice(1))),
  }
}

/** Signs somebody in through the realm, as a browser does. */
export async function signInAtRealm(
  auth: Pick<TestAuth, 'request'>,
  realm: Pick<FakeRealm, 'codeFor'>,
  person: RealmPerson,
  query: Record<string, string> = {},
  browser: TestBrowser = openBrowser(auth),
): Promise<CallbackResult> {
  const { state } = await browser.authorize(query)
  return browser.sendCallback({ state, code: realm.codeFor(person) })
}
