import { type H3, H3Event, type H3EventContext, HTTPError } from 'h3'
import { AuthError } from '../errors/auth-error.ts'
import { notFound, unexpectedFailure, validationFailed } from '../errors/request-errors.ts'
import { describeFault } from '../observability/describe-fault.ts'
import type { Logger } from '../observability/logger.ts'
import { Answer, jsonAnswer } from './answer.ts'
import { limitRequest } from './body-limit.ts'
import { setCommonHeaders } from './common-headers.ts'
import { apiVersionHeader, presentError } from './present-error.ts'

declare module 'h3' {
  interface H3EventContext {
    /** Headers of the answer that a route set, by lower-case name. */
    answerHeaders?: Record<string, string>
  }
}

/**
 * Has a request answered by the endpoints, and puts what they return or throw into words.
 *
 * h3 would do so by asking what is an instance of the global `Response`, and answer 200 to all that was
 * refused once a host has replaced that. So it only finds the endpoint.
 */
export async function answerRequest(
  endpoints: H3,
  request: Request,
  { logger, context }: { logger: Logger; context: H3EventContext },
): Promise<Answer> {
  const event = openEvent(endpoints, request, context)
  const answer = event
    ? withoutBodyForHead(event, await answerOrRefuse(endpoints, event, logger))
    : answerError(logger, validationFailed('The request is malformed'), { req: request, context })
  setCommonHeaders(answer, context)
  return answer
}

/** Null where Host and path make no URL. */
function openEvent(endpoints: H3, request: Request, context: H3EventContext): H3Event | null {
  try {
    return new H3Event(request, context, endpoints)
  } catch {
    return null
  }
}

async function answerOrRefuse(endpoints: H3, event: H3Event, logger: Logger): Promise<Answer> {
  try {
    limitRequest(event)
    return present(await endpoints.handler(event), event)
  } catch (error) {
    return answerError(logger, error, event)
  }
}

/** What a route returns is an answer, or the value that is one as JSON. */
function present(value: unknown, { context }: H3Event): Answer {
  if (value instanceof Answer) return value
  const { answerHeaders } = context
  if (value === null) return new Answer(200, { ...answerHeaders, 'content-length': '0' })
  if (typeof value === 'object') return jsonAnswer(200, value, answerHeaders)
  // h3 says so by a symbol.
  throw notFound()
}

/** @see RFC 9110 §9.3.2 */
const withoutBodyForHead = ({ req }: H3Event, answer: Answer): Answer =>
  req.method === 'HEAD' && answer.body !== null ? new Answer(answer.status, answer.headers) : answer

/**
 * Answers whatever was thrown. A refusal is told as it is; anything else is a fault, of which the
 * client learns nothing but the id under which the log tells its cause.
 */
function answerError(
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

/** Sets headers of an answer whose body is what the route returns: `event.res` is not read. */
export function setAnswerHeaders({ context }: H3Event, headers: Record<string, string>): void {
  context.answerHeaders = { ...context.answerHeaders, ...headers }
}
