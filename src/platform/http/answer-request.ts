import { type H3, H3Event, type H3EventContext, HTTPError } from 'h3'
import { AuthError } from '../errors/auth-error.ts'
import { notFound, unexpectedFailure, validationFailed } from '../errors/request-errors.ts'
import { describeFault } from '../observability/describe-fault.ts'
import { isLogged } from '../observability/logged-faults.ts'
import type { Logger } from '../observability/logger.ts'
import { Answer, jsonAnswer } from './answer.ts'
import { limitRequest } from './body-limit.ts'
import { setCommonHeaders } from './common-headers.ts'
import { apiVersionHeader, presentError } from './present-error.ts'
import type { ServiceRequest } from './service-request.ts'

declare module 'h3' {
  interface H3EventContext {
    /** Headers of the response that a route set, by lower-case name. */
    answerHeaders?: Record<string, string>
  }
}

/** The error form of an interface, and the headers of all its responses. */
export interface AnswerForm {
  /** Returns the response to an exception: a rejection or a fault. */
  refuse(thrown: unknown, event: RefusedEvent): Answer
  /** Sets the headers of every response. */
  complete(answer: Answer, event: RefusedEvent): void
}

/** A request that may not have become an event. */
export interface RefusedEvent {
  req: Pick<ServiceRequest, 'method' | 'url' | 'headers'>
  context: H3EventContext
}

/** Returns the wire form. */
export const authForm = (logger: Logger): AnswerForm => ({
  refuse: (thrown, event) => answerError(logger, thrown, event),
  complete: (answer, { context }) => setCommonHeaders(answer, context),
})

/**
 * Routes a request to its endpoint, and converts its result or exception into a response.
 *
 * h3 itself tests `instanceof` the global `Response`, and would return 200 for every rejection if a
 * host has replaced that class. Therefore h3 is used for routing only.
 */
export async function answerRequest(
  endpoints: H3,
  request: ServiceRequest,
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

/** Returns null if host and path are not a URL. */
export function openEvent(
  endpoints: H3,
  request: ServiceRequest,
  context: H3EventContext,
): H3Event | null {
  try {
    // Routing and our handlers use no other members.
    return new H3Event(request as Request, context, endpoints)
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

/** Returns the response of a route: the one that it returned, or its value as JSON. */
function present(value: unknown, { context }: H3Event): Answer {
  if (value instanceof Answer) return value
  const { answerHeaders } = context
  if (value === null) return new Answer(200, { ...answerHeaders, 'content-length': '0' })
  if (typeof value === 'object') return jsonAnswer(200, value, answerHeaders)
  // h3 returns a symbol if no route matches.
  throw notFound()
}

/** @see RFC 9110 §9.3.2 */
export const withoutBodyForHead = ({ req }: Pick<RefusedEvent, 'req'>, answer: Answer): Answer =>
  req.method === 'HEAD' && answer.body !== null
    ? new Answer(answer.status, answer.headers, null, answer.cookies)
    : answer

/**
 * Responds to an exception. A rejection is returned as it is. A fault returns only an id, under
 * which the log contains its cause.
 */
function answerError(logger: Logger, thrown: unknown, event: RefusedEvent): Answer {
  const requestId = event.context.requestId ?? ''
  const error = toRejection(thrown)
  // A full queue is expected, and its error has no cause to log.
  const isFault = !error || (error.status >= 500 && error.cause !== undefined)
  if (isFault && !isLogged(thrown)) {
    logger.error({ requestId, fault: describeFault(thrown) }, 'request failed')
  }
  const { status, headers, body } = presentError(error ?? unexpectedFailure(), {
    requestId,
    apiVersion: event.req.headers.get(apiVersionHeader),
  })
  event.context.errorCode = error?.code ?? 'unexpected_failure'
  return jsonAnswer(status, body, headers)
}

/** Returns the rejection that Latchkey or h3 threw; null for a fault. */
export function toRejection(thrown: unknown): AuthError | null {
  if (thrown instanceof AuthError) return thrown
  if (!(thrown instanceof HTTPError)) return null
  if (thrown.status === 404) return notFound()
  return thrown.status < 500 ? validationFailed('The request is malformed', thrown.status) : null
}

/**
 * Sets headers of a response whose body is the return value of the route: `event.res` is not used.
 */
export function setAnswerHeaders({ context }: H3Event, headers: Record<string, string>): void {
  context.answerHeaders = { ...context.answerHeaders, ...headers }
}
