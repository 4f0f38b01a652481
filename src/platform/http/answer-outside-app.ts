import { randomUUID } from 'node:crypto'
import { AuthError } from '../errors/auth-error.ts'
import { serviceUnavailable, unexpectedFailure } from '../errors/request-errors.ts'
import { describeFault } from '../observability/describe-fault.ts'
import type { Logger } from '../observability/logger.ts'
import { type Answer, jsonAnswer } from './answer.ts'
import { setCommonHeaders } from './common-headers.ts'
import { apiVersionHeader, presentError } from './present-error.ts'
import type { ServiceRequest } from './service-request.ts'

/**
 * Responds 503 to a request that was received before the start of the service or after its end,
 * since the next attempt may succeed.
 */
export function answerWithoutRuntime(
  logger: Logger,
  reason: unknown,
  request: ServiceRequest,
): Answer {
  const requestId = randomUUID()
  logger.error({ requestId, fault: describeFault(reason) }, 'not running')
  const error =
    reason instanceof AuthError ? reason : serviceUnavailable('The service is not running')
  return answerOutside(error, request, requestId)
}

/** Responds 500 to a request that failed outside the endpoints. */
export function answerFault(logger: Logger, fault: unknown, request: ServiceRequest): Answer {
  const requestId = randomUUID()
  logger.error({ requestId, fault: describeFault(fault) }, 'request failed')
  return answerOutside(unexpectedFailure(), request, requestId)
}

/** Responds 503 to a readiness check while the service stops. */
export const answerStopping = (request: ServiceRequest): Answer => {
  const answer = answerOutside(serviceUnavailable('Not ready: stopping'), request, randomUUID())
  answer.headers['cache-control'] = 'no-store'
  return answer
}

function answerOutside(error: AuthError, request: ServiceRequest, requestId: string): Answer {
  const apiVersion = request.headers.get(apiVersionHeader)
  const { status, headers, body } = presentError(error, { requestId, apiVersion })
  const answer = jsonAnswer(status, body, headers)
  setCommonHeaders(answer, { requestId })
  return answer
}
