import { type H3EventContext, HTTPError } from 'h3'
import { AuthError } from '../errors/auth-error.ts'
import { notFound, unexpectedFailure, validationFailed } from '../errors/request-errors.ts'
import { describeFault } from '../observability/describe-fault.ts'
import type { Logger } from '../observability/logger.ts'
import { type Answer, jsonAnswer } from './answer.ts'
import { apiVersionHeader, presentError } from './present-error.ts'

/**
 * Answers whatever was thrown. A refusal is told as it is; anything else is a fault, of which the
 * client learns nothing but the id under which the log tells its cause.
 */
export function answerError(
  logger: Logger,
  thrown: unknown,
  event: { req: { headers: Pick<Headers, 'get'> }; context: H3EventContext },
): Answer {
  const requestId = event.context.requestId ?? ''
  const error = toRefusal(thrown)
  // What a full queue is answered is expected, and has no cause to look into.
  if (!error || (error.status >= 500 && error.cause !== undefined)) {
    logger.error({ requestId, fault: describeFault(thrown) }, 'request failed')
  }
  const { status, headers, body } = presentError(error ?? unexpectedFailure(), {
    requestId,
    apiVersion: event.req.headers.get(apiVersionHeader),
  })
  event.context.errorCode = error?.code ?? 'unexpected_failure'
  return jsonAnswer(status, body, headers)
}

/** The refusal that was thrown, by us or by h3; null for a fault. */
function toRefusal(thrown: unknown): AuthError | null {
  if (thrown instanceof AuthError) return thrown
  if (!(thrown instanceof HTTPError)) return null
  if (thrown.status === 404) return notFound()
  return thrown.status < 500 ? validationFailed('The request is malformed', thrown.status) : null
}
