import type { H3EventContext } from 'h3'
import { requestTimeout } from '../errors/request-errors.ts'
import { type Answer, jsonAnswer } from './answer.ts'
import { setCommonHeaders } from './common-headers.ts'
import { apiVersionHeader, presentError } from './present-error.ts'

declare module 'h3' {
  interface H3EventContext {
    /** Whether the request got its response before its work ended. */
    isOver?: boolean
  }
}

/**
 * Waits for a response up to this time, then returns a 504. The work continues up to its next
 * statement, and its result is discarded.
 *
 * @param timeoutMs 0 sets no limit.
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

/**
 * Ends a request after its time limit: it begins no further statement, and the rest of its body is
 * not received.
 */
export function endRequest(context: H3EventContext): void {
  context.isOver = true
  context.stopReceiving?.()
}

/** Returns the response to a request that exceeded its time limit. */
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
