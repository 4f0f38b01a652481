import { AuthError } from '../../platform/errors/auth-error.ts'
import type { RequiredAssurance } from '../../service/api/step-up.ts'
import type { CookieSessions } from '../cookie-sessions/cookie-sessions.ts'
import type { RequestSession } from '../cookie-sessions/request-session.ts'
import { hasNoSession, requiredStep } from '../cookie-sessions/required-step.ts'
import type { SignedInViewer } from '../cookie-sessions/signed-in-viewer.ts'
import { type Lazy, unwrap } from './lazy.ts'

/**
 * Returns the path of the service's page for the step that an error of `requireUser` requires. It
 * returns to a page of the application. Null for any other error.
 *
 * @param returnTo a path, or the URL of the request.
 */
export function stepUrlOf(
  pages: Pick<CookieSessions, 'signInUrl' | 'stepUpUrl'>,
  error: unknown,
  returnTo: string,
): string | null {
  const step = requiredStep(error)
  if (step === null) return null
  const isVisitor = error instanceof AuthError && hasNoSession(error)
  return isVisitor ? pages.signInUrl(returnTo) : pages.stepUpUrl(step, returnTo)
}

/** The page that a guard protects. */
interface ProtectedPage {
  required: RequiredAssurance
  /** The path of the page, or its URL. */
  returnTo: string
}

/**
 * Returns the user of a page, or the path of the page of the step that is required first. The
 * guards of all hosts have the default of `session.requireUser`: users with a verified second
 * factor need it.
 *
 * @throws AuthError `service_unavailable` (503).
 */
export async function requirePageUser(
  sessions: Lazy<CookieSessions>,
  session: Pick<RequestSession, 'viewer' | 'requireUser'> | undefined,
  { required, returnTo }: ProtectedPage,
): Promise<SignedInViewer | string> {
  const pages = unwrap(sessions)
  if (!session?.viewer) return pages.signInUrl(returnTo)
  const { viewer } = session
  try {
    await session.requireUser(required)
    return viewer
  } catch (error) {
    const url = stepUrlOf(pages, error, returnTo)
    if (url === null) throw error
    return url
  }
}
