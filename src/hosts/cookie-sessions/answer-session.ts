import type { RequestOptions } from '../../platform/http/request-options.ts'
import { answerJson, errorCodeOf, withCookies } from './browser-answer.ts'
import { type CookieHost, clientOf, endingCodes } from './cookie-host.ts'
import type { RequestCookies } from './cookie-jar.ts'
import { viewerOfCookies } from './open-session.ts'
import { presentPageSession } from './page-session.ts'

/** A request of a page whose session is in cookies. */
export interface BrowserRequest {
  request: Request
  url: URL
  /** The path below the base path. */
  path: string
  options: RequestOptions
  cookies: RequestCookies
}

/**
 * Responds to `GET /session` with the session and its stored user, or `null`. For a page that was
 * rendered without it.
 */
export async function answerSession(host: CookieHost, incoming: BrowserRequest): Promise<Response> {
  const { request, cookies, url, options } = incoming
  const viewer = await viewerOfCookies(host, cookies, clientOf(host, request, options.ip))
  if (!viewer?.sessionId) return withCookies(cookies, answerJson(null))
  const { sessionId, accessToken } = viewer
  const ofUser = new Request(`${url.origin}${host.auth.basePath}/user`, {
    headers: { authorization: `Bearer ${accessToken}` },
  })
  const answer = await host.auth.fetch(ofUser, options)
  const user: unknown = await answer.json()
  if (answer.ok) {
    const page = presentPageSession({ ...viewer, sessionId }, host.clock.now())
    return withCookies(cookies, answerJson({ ...page, user }))
  }
  if (!endingCodes.has(errorCodeOf(user)))
    return withCookies(cookies, answerJson(user, answer.status))
  host.renewals.end(sessionId)
  cookies.removeSession()
  return withCookies(cookies, answerJson(null))
}
