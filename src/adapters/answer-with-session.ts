import { answerError } from '../cookie-sessions/browser-answer.ts'
import type { CookieSessions } from '../cookie-sessions/cookie-sessions.ts'
import type { RequestSession } from '../cookie-sessions/request-session.ts'
import { AuthError } from '../errors/auth-error.ts'
import { isBelow } from './mount-path.ts'

/**
 * Opens the session of a request for what answers it, and sends changed cookies along. A request that is refused, as one of
 * another origin with the cookies of a session, is answered here.
 *
 * @param answer is given null where the service itself answers: it opens the session by itself.
 */
export async function answerWithSession(
  sessions: CookieSessions,
  request: Request,
  answer: (session: RequestSession | null) => Promise<Response>,
  ip?: string,
): Promise<Response> {
  const { basePath } = sessions
  if (basePath && isBelow(plainPath(request), basePath.toLowerCase())) return answer(null)
  let session: RequestSession
  try {
    session = await sessions.open(request, { ip })
  } catch (error) {
    if (error instanceof AuthError) return answerError(error, request)
    throw error
  }
  const given = await answer(session)
  // The headers of a redirect cannot be changed.
  const response = new Response(given.body, given)
  if (session.viewer && !response.headers.has('cache-control')) {
    // What is rendered for somebody is for nobody else, whatever a shared cache makes of an answer that says nothing.
    response.headers.set('cache-control', 'private')
  }
  session.addHeaders(response.headers)
  return response
}

/**
 * Hosts find the mounted service by `/%61uth/logout` as well, and some by `/Auth/logout`. With a session opened beside the service's
 * own, the cookies that are renewed would bring back those that it removes.
 */
function plainPath({ url }: Request): string {
  const { pathname } = new URL(url)
  try {
    return decodeURIComponent(pathname).toLowerCase()
  } catch {
    return pathname
  }
}
