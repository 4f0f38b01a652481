import type { H3EventContext } from 'h3'
import type { Answer } from './answer.ts'

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
 * Ends a request before its response: it begins no further statement, and the rest of its body is
 * not received.
 */
export function endRequest(context: H3EventContext): void {
  context.isOver = true
  context.stopReceiving?.()
}
