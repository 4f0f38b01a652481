import { randomUUID } from 'node:crypto'
import { AuthError } from '../errors/auth-error.ts'
import { serviceUnavailable, unexpectedFailure } from '../errors/request-errors.ts'
import { describeFault } from '../observability/describe-fault.ts'
import type { Logger } from '../observability/logger.ts'
import { type Answer, jsonAnswer } from './answer.ts'
import { setCommonHeaders } from './common-headers.ts'
import { apiVersionHeader, presentError } from './present-error.ts'

/**
 * Answers a request that came before the service could start, or after it was closed: 503, since the
 * next attempt may find it running.
 */
export function answerWithoutRuntime(logger: Logger, reason: unknown, request: Request): Answer {
  const requestId = randomUUID()
  logger.error({ requestId, fault: describeFault(reason) }, 'not running')
  const error =
    reason instanceof AuthError ? reason : serviceUnavailable('The service is not running')
  return answerOutside(error, request, requestId)
}

/** Answers a request that failed before it came to an endpoint, or after. */
export function answerFault(logger: Logger, fault: unknown, request: Request): Answer {
  const requestId = randomUUID()
  logger.error({ requestId, fault: describeFault(fault) }, 'request failed')
  return answerOutside(unexpectedFailure(), request, requestId)
}

function answerOutside(error: AuthError, request: Request, requestId: string): Answer {
  const apiVersion = request.headers.get(apiVersionHeader)
  const { status, headers, body } = presentError(error, { requestId, apiVersion })
  const answer = jsonAnswer(status, body, headers)
  setCommonHeaders(answer, { requestId })
  return answer
}
