import { randomUUID } from 'node:crypto'
import { AuthError } from '../errors/auth-error.ts'
import { serviceUnavailable } from '../errors/request-errors.ts'
import { describeFault } from '../observability/describe-fault.ts'
import type { Logger } from '../observability/logger.ts'
import { type Answer, jsonAnswer } from './answer.ts'
import { apiVersionHeader, presentError } from './present-error.ts'
import { requestIdHeader } from './request-id.ts'

/**
 * Answers a request that came before the service could start, or after it was closed: 503, since the
 * next attempt may find it running.
 */
export function answerWithoutRuntime(logger: Logger, reason: unknown, request: Request): Answer {
  const requestId = randomUUID()
  logger.error({ requestId, fault: describeFault(reason) }, 'not running')
  const error =
    reason instanceof AuthError ? reason : serviceUnavailable('The service is not running')
  const { status, headers, body } = presentError(error, {
    requestId,
    apiVersion: request.headers.get(apiVersionHeader),
  })
  return jsonAnswer(status, body, {
    ...headers,
    [requestIdHeader]: requestId,
    'access-control-allow-origin': '*',
    'access-control-expose-headers': apiVersionHeader,
    'cache-control': 'no-store',
  })
}
