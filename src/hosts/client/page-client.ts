import { parse, serialize } from 'cookie-es'
import { isRecord } from '../../platform/kit/is-record.ts'
import {
  type CookieNaming,
  defaultName,
  hostPrefix,
  isVerifierKey,
  itemLifetimeSeconds,
} from '../cookie-sessions/cookie-names.ts'
import type { PageSession } from '../cookie-sessions/request-session.ts'
import {
  askInCookieMode,
  type BrowserPage,
  createHeldSession,
  type HeldSession,
} from './held-session.ts'

export type { PageSession } from '../cookie-sessions/request-session.ts'

/** The page's access to the service, and its session at rendering. */
export interface PageClientInput {
  /** The path that the service is mounted at, as in `createAuth`. Default `/auth`. */
  basePath?: string | undefined
  /** The name in `createCookieSessions`. Default `latchkey`. */
  name?: string | undefined
  /**
   * The result of `session.forPage()` when the page was rendered. Without it the client loads the
   * session when it starts; it does so, too, if it is null while the browser has a session.
   */
  session?: PageSession | null | undefined
}

/** Settings for `new AuthClient(…)` of `@supabase/auth-js`. */
export interface PageClientOptions {
  url: string
  storageKey: string
  storage: {
    getItem(key: string): Promise<string | null>
    setItem(key: string, value: string): void
    removeItem(key: string): Promise<void>
  }
  fetch: typeof fetch
  flowType: 'pkce'
  persistSession: true
  autoRefreshToken: boolean
  detectSessionInUrl: boolean
}

/**
 * Returns settings for a client in pages whose session is in cookies that scripts cannot read. It
 * can also be used during server rendering, when it has the session that it receives and sends no
 * requests.
 *
 * @example const client = new AuthClient(pageClientOptions({ basePath: '/auth' }))
 */
export function pageClientOptions(input: PageClientInput = {}): PageClientOptions {
  const { basePath = '/auth', name = defaultName, session } = input
  const page = 'document' in globalThis ? (globalThis as unknown as BrowserPage) : null
  // During server rendering the client sends no requests, so its address is not used.
  const url = `${page?.location.origin ?? 'http://localhost'}${basePath}`
  const isSecure = page?.location.protocol === 'https:'
  const naming: CookieNaming = { prefix: isSecure ? hostPrefix : '', name }
  const held = createHeldSession({ page, naming, url, session })
  const signOut = createEarlySignOut(url)
  const send: typeof fetch = async (target, init) =>
    held.isSwitched() && changesAccount(init)
      ? switchedUser()
      : askInCookieMode(target, named(init, held.inCookies()))
  return {
    url,
    storageKey: name,
    storage: storageOf(page, naming, { held, signOut }),
    fetch: async (target, init) => {
      const answer = signOut.answerTo(target, init) ?? (await send(target, init))
      if (await isSignedOutAlready(`${url}/logout`, target, answer)) return signedOut()
      if (answer.ok) await held.learn(answer.clone())
      return answer
    },
    flowType: 'pkce',
    persistSession: true,
    autoRefreshToken: page !== null,
    detectSessionInUrl: page !== null,
  }
}

/**
 * Returns the settings of a request, with the name of the session in place of its access token: the
 * cookies contain the token.
 */
function named(init: RequestInit | undefined, session: PageSession | null): RequestInit {
  const headers = new Headers(init?.headers)
  if (session && headers.get('authorization') === `Bearer ${session.access_token}`)
    headers.set('authorization', `Bearer ${session.refresh_token}`)
  return { ...init, headers }
}

/** Whether a request acts for the user of its token. */
const changesAccount = (init: RequestInit | undefined): boolean =>
  !['GET', 'HEAD'].includes(init?.method ?? 'GET') &&
  new Headers(init?.headers).has('authorization')

/** The errors of a sign-out whose session has ended. */
const endedCodes = new Set(['session_not_found', 'user_not_found', 'bad_jwt'])

/**
 * Returns whether a response rejects a sign-out because the session has ended. Clients before 2.91
 * then report an error, and do not inform the page that it is signed out.
 */
async function isSignedOutAlready(
  logoutUrl: string,
  target: unknown,
  answer: Response,
): Promise<boolean> {
  const [path, query = ''] = String(target).split('?')
  if (answer.status !== 403 || path !== logoutUrl) return false
  // The session of the page itself stays open then.
  if (new URLSearchParams(query).get('scope') === 'others') return false
  const parsed: unknown = await answer
    .clone()
    .json()
    .catch(() => null)
  if (!isRecord(parsed)) return false
  // Without the header of its version, a client receives the code in another field.
  return endedCodes.has(String(parsed['error_code'] ?? parsed['code']))
}

const signedOut = (): Response => new Response(null, { status: 204 })

/** The response to a change that the page of a former user requests, as the server would give it. */
const switchedUser = (): Response =>
  Response.json(
    { code: 409, error_code: 'conflict', msg: 'Another user has signed in in this browser' },
    { status: 409 },
  )

/**
 * Creates the client's storage: the session in memory, since cookies contain it; code verifiers in
 * cookies, where the server reads them.
 */
function storageOf(
  page: BrowserPage | null,
  { prefix, name }: CookieNaming,
  { held, signOut }: { held: HeldSession; signOut: EarlySignOut },
): PageClientOptions['storage'] {
  const memory = new Map<string, string>()
  const setCookie = (key: string, value: string, maxAge: number): void => {
    if (!page) return
    const attributes = { path: '/', secure: prefix !== '', sameSite: 'lax', maxAge } as const
    page.document.cookie = serialize(`${prefix}${key}`, value, attributes)
  }
  return {
    getItem: async (key) => {
      if (key === name) {
        const session = await held.current()
        return session && JSON.stringify(session)
      }
      if (!isVerifierKey(key)) return memory.get(key) ?? null
      return (page && parse(page.document.cookie)[`${prefix}${key}`]) ?? null
    },
    setItem: (key, value) => {
      if (key === name) held.hold(JSON.parse(value))
      else if (isVerifierKey(key)) setCookie(key, value, itemLifetimeSeconds)
      else memory.set(key, value)
    },
    removeItem: async (key) => {
      if (key === name) {
        const session = held.inCookies()
        if (session) await signOut.begin(session)
        held.hold(null)
      } else if (isVerifierKey(key)) setCookie(key, '', 0)
      else memory.delete(key)
    },
  }
}

/**
 * Signs out at the server before the client reports it. To end the session of one browser, the
 * client itself deletes its session, notifies other tabs, and sends the request last. Scripts
 * cannot delete the cookies, so pages rendered in between would still have the session.
 */
interface EarlySignOut {
  begin(session: PageSession): Promise<void>
  /** Returns the response that was received already; null for any other request. */
  answerTo(target: unknown, init: RequestInit | undefined): Response | null
}

function createEarlySignOut(serviceUrl: string): EarlySignOut {
  const url = `${serviceUrl}/logout?scope=local`
  const answers = new Map<string, Response>()
  return {
    begin: async ({ access_token: accessToken, refresh_token: name }) => {
      const init = { method: 'POST', headers: { authorization: `Bearer ${name}` } }
      // After a failure, the client's own request reports the error.
      const answer = await askInCookieMode(url, init).catch(() => null)
      if (answer) answers.set(`Bearer ${accessToken}`, answer)
    },
    answerTo: (target, init) => {
      if (target !== url) return null
      const authorization = new Headers(init?.headers).get('authorization') ?? ''
      const answer = answers.get(authorization) ?? null
      answers.delete(authorization)
      return answer
    },
  }
}
