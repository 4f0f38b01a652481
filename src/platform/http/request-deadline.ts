import type { H3EventContext } from 'h3'
import { requestTimeout } from '../errors/request-errors.ts'
import { type Answer, jsonAnswer } from './answer.ts'
import { setCommonHeaders } from './common-headers.ts'
import { apiVersionHeader, presentError } from './present-error.ts'

declare module 'h3' {
  interface H3EventContext {
    /** Whether the request was answered before it was done. */
    isOver?: boolean
  }
}

/**
 * Waits for an answer, but no longer than this: then answers 504 in its place. The work itself goes on up to its next
 * statement, and what becomes of it is dropped.
 *
 * @param timeoutMs 0 sets no end.
 */
export function withinDeadline(
  answer: Promise<Answer>,
  timeoutMs: number,
  late: () => Answer,
): Promise<Answer> {
  if (timeoutMs === 0) return answer
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(late()), timeoutMs)
    answer.then(
      (inTime) => {
        clearTimeout(timer)
        resolve(inTime)
      },
      (error) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}

/** Ends a request that was answered late: no statement of it begins any more, and its body is not received to the end. */
export function endRequest(context: H3EventContext): void {
  context.isOver = true
  context.stopReceiving?.()
}

/** What a request is answered that was not done in time. */
export function answerLate(request: Request, context: H3EventContext): Answer {
  endRequest(context)
  const error = requestTimeout()
  const { status, headers, body } = presentError(error, {
    requestId: context.requestId ?? '',
    apiVersion: request.headers.get(apiVersionHeader),
  })
  context.errorCode = error.code
  const answer = jsonAnswer(status, body, headers)
  setCommonHeaders(answer, context)
  return answer
}
