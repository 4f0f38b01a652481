import type { H3, H3Event, H3EventContext } from 'h3'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { unexpectedFailure } from '../../platform/errors/request-errors.ts'
import type { Answer } from '../../platform/http/answer.ts'
import { openEvent, toRejection } from '../../platform/http/answer-request.ts'
import type { ServiceRequest } from '../../platform/http/service-request.ts'

/** Returns the page of an error. */
export type PresentError = (event: H3Event, error: AuthError, thrown: unknown) => Answer

/** The pages that the service provides; null in a service without pages. */
interface Needs {
  pages: { error: PresentError | null }
}

/** Responds to errors with a page where the client is a browser and the service has pages. */
export const withErrorPage =
  ({ pages }: Needs, serve: (event: H3Event) => unknown): ((event: H3Event) => unknown) =>
  async (event) => {
    try {
      return await serve(event)
    } catch (thrown) {
      const page = pages.error && isNavigation(event) ? errorPage(pages.error, event, thrown) : null
      if (page === null) throw thrown
      return page
    }
  }

/**
 * Returns the page of an error that ends a request outside the router, such as its time limit; null
 * for a request that gets no page. The endpoint is unknown, so only a browser that opens the URL
 * gets one: programs may request HTML by default, and do not send this header.
 *
 * @see Fetch Metadata Request Headers §2.3
 */
export function pageOutsideRouter(
  { pages }: Needs,
  router: H3,
  { request, context }: { request: ServiceRequest; context: H3EventContext },
  error: AuthError,
): Answer | null {
  if (pages.error === null || request.headers.get('sec-fetch-mode') !== 'navigate') return null
  const event = openEvent(router, request, context)
  return event && errorPage(pages.error, event, error)
}

/** Returns the page of an exception; null where the request itself permits no page. */
function errorPage(present: PresentError, event: H3Event, thrown: unknown): Answer | null {
  const error = toRejection(thrown) ?? unexpectedFailure()
  try {
    const page = present(event, error, thrown)
    event.context.errorCode = error.code
    return page
  } catch (error) {
    if (error instanceof AuthError) return null
    throw error
  }
}

/** Whether a browser opens the URL. Scripts and programs do not request HTML. */
const isNavigation = ({ req: { headers } }: H3Event): boolean =>
  /\btext\/html\b/i.test(headers.get('accept') ?? '')
