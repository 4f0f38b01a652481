import { methodNotAllowed } from '../../platform/errors/request-errors.ts'
import { answerError } from '../cookie-sessions/browser-answer.ts'

const forbidden = /^(?:connect|trace|track)$/i

const allowed = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/**
 * Returns the response to a method that no `Request` can have; null for any other. @see Fetch
 * standard, "forbidden method"
 */
export const rejectForbiddenMethod = (request: Pick<Request, 'method' | 'headers'>) =>
  forbidden.test(request.method) ? answerError(methodNotAllowed(allowed), request) : null
