import { type H3, H3Event, type H3EventContext } from 'h3'
import { notFound, validationFailed } from '../errors/request-errors.ts'
import type { Logger } from '../observability/logger.ts'
import { Answer, jsonAnswer } from './answer.ts'
import { answerError } from './answer-error.ts'
import { limitRequest } from './body-limit.ts'
import { setCommonHeaders } from './common-headers.ts'

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
