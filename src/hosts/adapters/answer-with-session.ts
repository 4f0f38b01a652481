import { AuthError } from '../../platform/errors/auth-error.ts'
import { isBelow } from '../../platform/kit/is-below.ts'
import { answerError } from '../cookie-sessions/browser-answer.ts'
import type { CookieSessions } from '../cookie-sessions/cookie-sessions.ts'
import type { RequestSession } from '../cookie-sessions/request-session.ts'

interface HostAnswers {
  /** Responds with the session of the request. Its changed cookies are added to the response. */
  ofPage(session: RequestSession): Response | Promise<Response>
  /**
   * Responds to a request of the mounted service, which opens the session itself and sets only its
   * own cookies.
   */
  ofService(): Response | Promise<Response>
  /**
   * Responds to a request whose session cannot be opened, for example one of another origin with
   * session cookies.
   */
  refused?(error: AuthError): Response | Promise<Response>
}

/**
 * Opens the session of a request, and adds changed cookies to the response, for hosts that respond
 * to pages and the service in one place. Cookies of a session that ends meanwhile are not added.
 */
export async function answerForHost(
  sessions: CookieSessions,
  request: Request,
  { ofPage, ofService, refused = (error) => answerError(error, request) }: HostAnswers,
  ip?: string,
): Promise<Response> {
  if (isOfService(sessions, request)) return ofService()
  let session: RequestSession
  try {
    session = await sessions.open(request, { ip })
  } catch (error) {
    if (error instanceof AuthError) return refused(error)
    throw error
  }
  const given = await ofPage(session)
  // The headers of a redirect cannot be changed.
  const response = new Response(given.body, given)
  session.addHeaders(response.headers)
  return response
}

const isOfService = ({ basePath }: CookieSessions, request: Request): boolean =>
  basePath !== '' && isBelow(plainPath(request), basePath.toLowerCase())

/**
 * Opens the session of a request for a host that renders. Responds itself to a rejected request,
 * for example one of another origin with session cookies.
 *
 * @param answer receives null if the service responds, which opens the session itself.
 */
export const answerWithSession = (
  sessions: CookieSessions,
  request: Request,
  answer: (session: RequestSession | null) => Promise<Response>,
  ip?: string,
): Promise<Response> =>
  answerForHost(
    sessions,
    request,
    {
      ofPage: async (session) => {
        const given = await answer(session)
        if (!session.viewer || given.headers.has('cache-control')) return given
        const response = new Response(given.body, given)
        // A page rendered for one user must not be sent to another. A shared cache may store a
        // response without this header.
        response.headers.set('cache-control', 'private')
        return response
      },
      ofService: () => answer(null),
    },
    ip,
  )

/**
 * Returns the decoded path. Hosts route `/%61uth/logout` to the mounted service as well, and some
 * `/Auth/logout`. If the session were also opened here, renewed cookies would restore those that
 * the service deletes.
 */
function plainPath({ url }: Request): string {
  const { pathname } = new URL(url)
  try {
    return decodeURIComponent(pathname).toLowerCase()
  } catch {
    return pathname
  }
}
