import { randomUUID } from 'node:crypto'
import type { AuthConfig } from '../../src/platform/config/config.ts'
import type {
  ExternalEmail,
  ExternalProfile,
} from '../../src/platform/config/sections/provider-definition.ts'
import type { ProviderConfig } from '../../src/platform/config/sections/providers.ts'
import type { Answer, RequestOptions, TestAuth } from './test-auth.ts'
import { startWebServer } from './web-server.ts'

/** The claims of a realm about a user. */
export interface RealmPerson {
  sub: string
  name?: string
  email?: string
  email_verified?: boolean
  [claim: string]: unknown
}

/** A Keycloak realm over HTTP that signs in the users of the test. */
export interface FakeRealm {
  url: string
  /** Returns the code with which the realm redirects this user back. */
  codeFor(person: RealmPerson): string
  /** Fails in place of the realm until it is null. */
  fail: 'token' | 'userinfo' | null
  /** The refresh token beside the tokens of a code: valid once, or for ever. Default: none. */
  refreshTokens: 'rotating' | 'lasting' | null
  /** The received refresh tokens. */
  refreshed: string[]
  /** Runs before the response to a refresh token, after it was consumed. */
  beforeRefresh: () => Promise<void>
  /** Revokes all refresh tokens. */
  revoke(): void
  close(): Promise<void>
  /** The lifetime of its access tokens. */
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

/** Returns the settings of a provider that is such a realm. */
export const realmSettings = ({ url }: Pick<FakeRealm, 'url'>) =>
  ({ clientId: 'client', clientSecret: 'secret', url }) satisfies NonNullable<
    AuthConfig['providers']
  >[string]

/**
 * Returns the settings of a provider that returns the realm's claims unchanged: with several
 * addresses, or with any value.
 */
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

/** Returns a member of the club with these addresses, the primary one first. */
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

/** The path of the redirect URI, by the state of the flow. Browsers of one test share it. */
const callbackPaths = new Map<string, string>()

/** Returns the path that the provider redirects to with this state. */
export const callbackPathFor = (state = ''): string => callbackPaths.get(state) ?? '/callback'

/** Stores the path of the redirect URI in an authorization URL. @returns the state of the URL. */
export function noteCallbackPath(authorizationUrl: string): string {
  const state = new URL(authorizationUrl).searchParams.get('state') ?? ''
  callbackPaths.set(state, callbackPathOf(authorizationUrl))
  return state
}

/** Returns the path of the redirect URI in an authorization URL, below the path of the service. */
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

/** Signs in a user through the realm, as a browser does. */
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
