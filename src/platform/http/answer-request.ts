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

/** How an interface says what its endpoints throw, and what all of its answers say. */
export interface AnswerForm {
  /** The answer to what was thrown: a refusal, or a fault. */
  refuse(thrown: unknown, event: RefusedEvent): Answer
  /** Sets the headers that every answer has. */
  complete(answer: Answer, event: RefusedEvent): void
}

/** A request that need not have become an event. */
export interface RefusedEvent {
  req: Pick<Request, 'method' | 'url'> & { headers: Pick<Headers, 'get'> }
  context: H3EventContext
}

/** The form of the wire. */
export const authForm = (logger: Logger): AnswerForm => ({
  refuse: (thrown, event) => answerError(logger, thrown, event),
  complete: (answer, { context }) => setCommonHeaders(answer, context),
})

/**
 * Has a request answered by the endpoints, and puts what they return or throw into words.
 *
 * h3 would do so by asking what is an instance of the global `Response`, and answer 200 to all that was
 * refused once a host has replaced that. So it only finds the endpoint.
 */
export async function answerRequest(
  endpoints: H3,
  request: Request,
  { form, context }: { form: AnswerForm; context: H3EventContext },
): Promise<Answer> {
  const event = openEvent(endpoints, request, context)
  const refused = { req: request, context }
  const answer = event
    ? withoutBodyForHead(event, await answerOrRefuse(endpoints, event, form))
    : form.refuse(validationFailed('The request is malformed'), refused)
  form.complete(answer, refused)
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

async function answerOrRefuse(endpoints: H3, event: H3Event, form: AnswerForm): Promise<Answer> {
  try {
    limitRequest(event)
    return present(await endpoints.handler(event), event)
  } catch (error) {
    return form.refuse(error, event)
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
function answerError(logger: Logger, thrown: unknown, event: RefusedEvent): Answer {
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
