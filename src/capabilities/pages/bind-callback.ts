import type { H3Event } from 'h3'
import { openCookies } from '../../hosts/cookie-sessions/cookie-jar.ts'
import { viewerOfCookies } from '../../hosts/cookie-sessions/open-session.ts'
import { withCookieSession } from '../../platform/http/request-options.ts'
import type { PagesHost } from './pages-host.ts'

/**
 * Adds the id of the pages' session to a callback of a provider: the session that started a linking
 * flow needs no confirmation. A session that has to be renewed first is left out.
 */
export async function bindCallback({ cookies }: PagesHost, { req }: H3Event): Promise<void> {
  const viewer = await viewerOfCookies(cookies, openCookies(cookies, req), null).catch(() => null)
  if (viewer?.sessionId) withCookieSession(req, viewer.sessionId)
}
