import { methodNotAllowed } from '../../platform/errors/request-errors.ts'
import { answerError } from '../cookie-sessions/browser-answer.ts'

const forbidden = /^(?:connect|trace|track)$/i

const allowed = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** The answer to a method that no `Request` can be made with; null for any other. @see Fetch standard, "forbidden method" */
export const refuseForbiddenMethod = (request: Pick<Request, 'method' | 'headers'>) =>
  forbidden.test(request.method) ? answerError(methodNotAllowed(allowed), request) : null
