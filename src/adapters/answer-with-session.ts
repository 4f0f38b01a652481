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
  if (basePath && isBelow(new URL(request.url).pathname, basePath)) return answer(null)
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
  session.addHeaders(response.headers)
  return response
}
