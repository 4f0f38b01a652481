import { jsonAnswer } from '../../platform/http/answer.ts'
import type { AnswerForm, RefusedEvent } from '../../platform/http/answer-request.ts'
import { requestIdHeader } from '../../platform/http/request-id.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import { presentPagesError } from './present-pages-error.ts'

/** What every answer says: it is data, to be neither guessed at, nor run, nor framed; and most is about somebody. */
const fixedHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'",
  'x-frame-options': 'DENY',
}

/** What a script of an allowed origin may send. */
export const preflightHeaders = {
  'access-control-allow-methods': 'GET,POST,PUT,DELETE',
  'access-control-allow-headers': 'Accept,Authorization,Content-Type,php-auth-pw',
}

/** Whether scripts of the origin that a request names may read what it is answered. */
export function allowsOrigin(
  origins: readonly string[],
  { req }: Pick<RefusedEvent, 'req'>,
): boolean {
  const origin = req.headers.get('origin')
  return origin !== null && origins.includes(origin)
}

/**
 * How this interface answers. It is not the form of the service's own errors, and it names no origin but those that were
 * configured.
 */
export const pagesForm = (logger: Logger, origins: readonly string[]): AnswerForm => ({
  refuse: (thrown, event) => {
    const { status, headers, body, code } = presentPagesError(thrown, event)
    if (code !== null) event.context.errorCode = code
    if (isUnexpected(thrown, status)) {
      const requestId = event.context.requestId ?? ''
      logger.error({ requestId, fault: describeFault(thrown) }, 'request failed')
    }
    return jsonAnswer(status, body, headers)
  },
  complete: ({ headers }, event) => {
    Object.assign(headers, fixedHeaders)
    headers[requestIdHeader] = event.context.requestId ?? ''
    if (origins.length === 0) return
    headers['vary'] = 'origin'
    if (!allowsOrigin(origins, event)) return
    headers['access-control-allow-origin'] = event.req.headers.get('origin') ?? ''
  },
})

/** What a full queue is answered is expected, and has no cause to look into. */
const isUnexpected = (thrown: unknown, status: number): boolean =>
  status === 500 || (status > 500 && thrown instanceof Error && thrown.cause !== undefined)
