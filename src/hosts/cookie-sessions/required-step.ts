import { AuthError, type StepUpAction } from '../../platform/errors/auth-error.ts'
import type { CookieTerms } from './cookie-terms.ts'
import { isEndOfCaller } from './session-api.ts'

/**
 * Returns the step that the user completes before a call succeeds: that of `details.stepUp`, and
 * `sign_in` without a session or after its end. Null for any other error.
 *
 * @example
 * const step = requiredStep(error)
 * if (step) return redirect(pages[step])
 */
export function requiredStep(error: unknown): StepUpAction | null {
  if (!(error instanceof AuthError)) return null
  if (error.details.stepUp !== undefined) return error.details.stepUp
  if (error.code === 'insufficient_aal') return 'verify'
  return hasNoSession(error) ? 'sign_in' : null
}

/** `requireUser` rejects a session that has ended with 401, other methods with 403. */
export const hasNoSession = (error: AuthError): boolean =>
  error.status === 401 || isEndOfCaller(error)

/** Pages of the service, which return to a page of the application. */
interface ServicePages extends Pick<CookieTerms, 'origins'> {
  /** The mount path of the service. */
  basePath: string
}

/**
 * Returns the path of the service's sign-in page, which returns to a page of the application. Only
 * path and query of the page are used: behind a proxy, a host may report another origin.
 *
 * @param returnTo a path, or the URL of the request.
 */
export const signInUrl = (pages: ServicePages, returnTo: string): string =>
  pageUrl(pages, '/sign-in', returnTo)

/** The parameter of an enrollment that a page requires: it returns to the page by itself. */
export const requiredEnrollment = { for: 'enroll' } as const

const stepPages: Record<StepUpAction, string> = {
  sign_in: '/sign-in',
  verify: '/second-factor',
  enroll: '/account/security',
}

/**
 * Returns the path of the service's page for a step that an operation requires first.
 *
 * @param returnTo as of {@link signInUrl}.
 */
export function stepUpUrl(pages: ServicePages, step: StepUpAction, returnTo: string): string {
  const url = pageUrl(pages, stepPages[step], returnTo)
  // Otherwise the page would redirect a user who is signed in.
  if (step === 'sign_in') return `${url}&again=1`
  return step === 'enroll' ? `${url}&${new URLSearchParams(requiredEnrollment)}` : url
}

function pageUrl({ origins, basePath }: ServicePages, page: string, returnTo: string): string {
  const [origin = ''] = origins
  // A path of slashes alone is no URL, and leads to the first page.
  const { pathname, search } = URL.parse(returnTo, origin) ?? new URL(origin)
  const target = `${origin}${pathname.replace(/^\/+/, '/')}${search}`
  return `${basePath}${page}?${new URLSearchParams({ redirect_to: target })}`
}
