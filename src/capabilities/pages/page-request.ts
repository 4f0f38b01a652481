import type { H3Event } from 'h3'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { openContext } from '../../endpoints/http/open-context.ts'
import type { CookieHost } from '../../hosts/cookie-sessions/cookie-host.ts'
import { openCookies, type RequestCookies } from '../../hosts/cookie-sessions/cookie-jar.ts'
import { openSession, viewerOfCookies } from '../../hosts/cookie-sessions/open-session.ts'
import type { RequestSession } from '../../hosts/cookie-sessions/request-session.ts'
import type { SignedInViewer } from '../../hosts/cookie-sessions/signed-in-viewer.ts'
import { allowedRedirect } from '../../limits/redirects/allowed-redirect.ts'
import { Answer } from '../../platform/http/answer.ts'
import { readQuery } from '../../platform/http/read-request.ts'
import { bestLanguage, readLanguages } from '../../platform/kit/languages.ts'
import type { CallOptions } from '../../service/api/call-options.ts'
import { type AuthorizationHints, localesOf, readHints } from './authorization-hints.ts'
import type { PagesHost } from './pages-host.ts'
import { keepPreSession, newPreSession, type PreSession, readPreSession } from './pre-session.ts'
import type { TextOf } from './texts/texts.ts'

/** The sessions of a request. */
export interface PageSessions {
  main: RequestSession
  /** The session that waits for its second factor, and its cookies. */
  pending: { viewer: SignedInViewer | null; cookies: RequestCookies }
}

export interface PageRequest {
  host: PagesHost
  event: H3Event
  ctx: AuthContext
  /** The client of the request, for calls of the API. */
  options: CallOptions
  /** One of the languages of the texts. */
  language: string
  text: TextOf
  /** Used for this response only. */
  nonce: string
  /** The origin that the browser uses. */
  origin: string
  /** The requested redirect target, not validated yet. */
  redirectTo: string | undefined
  /** The hints of the authorization request that the page belongs to. */
  hints: AuthorizationHints
  pre: PreSession
  /** Whether the browser sent no state, as before its first page, or where it blocks cookies. */
  isNewBrowser: boolean
  /** Whether the page contains a captcha. */
  hasCaptcha: boolean
  /** The origins of further images on the page. */
  imageOrigins: string[]
  /** Further `Set-Cookie` headers. */
  cookies: string[]
  /** The sessions of the cookies; they are opened once. */
  sessions(): Promise<PageSessions>
  /** The id of the session that form tokens are bound to; empty without one. */
  boundTo(): string
}

/** Reads a request. Queries nothing. */
export function openPage(host: PagesHost, event: H3Event): PageRequest {
  const { deps } = host
  const ctx = openContext(deps, event)
  const stored = readPreSession(host, event)
  const pre = stored ?? newPreSession(host)
  const hints = readHints(event)
  const language = chooseLanguage(host, event, pre, hints)
  const { id: requestId, ip, userAgent } = ctx.request
  let opened: Promise<PageSessions> | undefined
  let boundTo = ''
  const request = { method: event.req.method, headers: withoutBearer(event) }
  const origin = host.cookies.terms.origins.has(event.url.origin)
    ? event.url.origin
    : deps.config.pages.origin
  const page: PageRequest = {
    host,
    event,
    ctx,
    options: {
      requestId,
      languages: [language, ...ctx.request.languages()],
      ...(ip !== null && { ip }),
      ...(userAgent !== null && { userAgent }),
    },
    language,
    text: host.texts(language),
    nonce: deps.random.hex(16),
    origin,
    redirectTo: absoluteTarget(readQuery(event, 'redirect_to'), origin),
    hints,
    pre,
    isNewBrowser: stored === null,
    hasCaptcha: false,
    imageOrigins: [],
    cookies: [],
    sessions: () => {
      opened ??= openSessions(host, request, ip ?? undefined).then((sessions) => {
        boundTo = sessions.main.viewer?.sessionId ?? sessions.pending.viewer?.sessionId ?? ''
        return sessions
      })
      return opened
    },
    boundTo: () => boundTo,
  }
  return page
}

/**
 * Resolves a path against the origin of the pages, so that links of an application need no origin.
 * The target is validated where it is used.
 */
const absoluteTarget = (target: string | undefined, origin: string): string | undefined =>
  target?.startsWith('/') ? (URL.parse(target, origin)?.href ?? target) : target

/** Pages have their session in cookies. A bearer token has no effect. */
const withoutBearer = ({ req: { headers } }: H3Event) => ({
  get: (name: string): string | null => (name === 'authorization' ? null : headers.get(name)),
})

async function openSessions(
  host: PagesHost,
  request: { method: string; headers: { get(name: string): string | null } },
  ip: string | undefined,
): Promise<PageSessions> {
  const main = await openSession(host.cookies, request, { ip })
  const userAgent = request.headers.get('user-agent') ?? undefined
  return { main, pending: await openPending(host.pending, request, { ip, userAgent }) }
}

async function openPending(
  host: CookieHost,
  request: { headers: { get(name: string): string | null } },
  client: { ip: string | undefined; userAgent: string | undefined },
): Promise<PageSessions['pending']> {
  const cookies = openCookies(host, request)
  return { cookies, viewer: await viewerOfCookies(host, cookies, client) }
}

/**
 * Returns the language that the user chose, else the one that the authorization request prefers,
 * else the one that the browser prefers.
 */
function chooseLanguage(
  { texts: { languages } }: PagesHost,
  event: H3Event,
  pre: PreSession,
  hints: AuthorizationHints,
): string {
  const chosen = languages.find((one) => one === event.url.searchParams.get('lang'))
  if (chosen) pre.language = chosen
  if (pre.language && languages.includes(pre.language)) return pre.language
  const accepted = readLanguages(event.req.headers.get('accept-language'))
  return bestLanguage([...localesOf(hints), ...accepted], languages)
}

/** Returns the path of a page, which keeps the redirect target and the hints. */
export function pathTo(
  {
    host,
    redirectTo,
    hints,
  }: Pick<PageRequest, 'host' | 'redirectTo'> & Partial<Pick<PageRequest, 'hints'>>,
  path: string,
  parameters: Record<string, string | undefined> = {},
): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries({
    redirect_to: redirectTo,
    ...hints,
    ...parameters,
  })) {
    if (value !== undefined) query.set(name, value)
  }
  return `${host.root}${path}${query.size > 0 ? `?${query}` : ''}`
}

/** Returns the parameter of a page that a signed-in user opened to sign in again. */
export const againOf = ({ event }: Pick<PageRequest, 'event'>): { again?: string } =>
  event.url.searchParams.has('again') ? { again: '1' } : {}

/** Returns the URL of a page, as a redirect target. */
export const urlOf = ({ host, origin }: PageRequest, path: string): string =>
  `${origin}${host.root}${path}`

/**
 * Returns the URL of a page as the redirect target of a step before it. The page keeps its own
 * redirect target.
 */
export const returnTo = (
  { host, origin, redirectTo }: Pick<PageRequest, 'host' | 'origin' | 'redirectTo'>,
  path: string,
): string => `${origin}${pathTo({ host, redirectTo }, path)}`

/** Returns the URL at the end of a flow: the requested target if it is permitted. */
export function targetOf({ host, ctx, redirectTo }: PageRequest): string {
  if (redirectTo === undefined && host.home !== null) return `${host.root}${host.home}`
  return allowedRedirect(ctx, { target: redirectTo })
}

/** Redirects the browser by GET. */
export const redirectTo = (location: string): Answer => new Answer(303, { location })

/** Returns whether a redirect leads to another place than the pages, such as the application. */
function leavesPages({ host, origin }: PageRequest, { headers: { location } }: Answer): boolean {
  if (location === undefined) return false
  const target = URL.parse(location, `${origin}${host.root}/`)
  return target?.origin !== origin || !target.pathname.startsWith(`${host.root}/`)
}

/**
 * Adds the cookies of a request to its response. A notice does not outlive the pages: it would be
 * on a later one, beside another result.
 */
export async function withPageCookies(page: PageRequest, answer: Answer): Promise<Answer> {
  if (leavesPages(page, answer)) delete page.pre.notice
  const cookies = [...answer.cookies, ...page.cookies, keepPreSession(page.host, page.pre)]
  const { main, pending } = await page.sessions()
  main.addHeaders({
    append: (name, value) => {
      if (name === 'set-cookie') cookies.push(value)
    },
    set: () => {},
  })
  cookies.push(...pending.cookies.setCookieHeaders())
  const headers = { ...answer.headers, 'cache-control': 'no-store' }
  return new Answer(answer.status, headers, answer.body, cookies)
}
