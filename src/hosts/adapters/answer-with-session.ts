import { AuthError } from '../../platform/errors/auth-error.ts'
import { answerError } from '../cookie-sessions/browser-answer.ts'
import type { CookieSessions } from '../cookie-sessions/cookie-sessions.ts'
import type { RequestSession } from '../cookie-sessions/request-session.ts'
import { isBelow } from './mount-path.ts'

interface HostAnswers {
  /** Answers with the session of the request. Its changed cookies are added to the response. */
  ofPage(session: RequestSession): Response | Promise<Response>
  /** Answers a request of the mounted service, which opens the session by itself and sets its cookies alone. */
  ofService(): Response | Promise<Response>
  /** Answers a request whose session cannot be opened, as one of another origin with the cookies of a session. */
  refused?(error: AuthError): Response | Promise<Response>
}

/**
 * Opens the session of a request, and adds changed cookies to the response: for every host that answers pages and the service in one
 * place. Cookies of a session that ends meanwhile are not added.
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
 * The same for a host that renders. A request that is refused, as one of another origin with the cookies of a session, is answered here.
 *
 * @param answer is given null where the service itself answers: it opens the session by itself.
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
        // A page that was rendered for one user is for no other, and a shared cache may store a response without this header.
        response.headers.set('cache-control', 'private')
        return response
      },
      ofService: () => answer(null),
    },
    ip,
  )

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
