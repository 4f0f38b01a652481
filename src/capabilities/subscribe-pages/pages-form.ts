import { jsonAnswer } from '../../platform/http/answer.ts'
import type { AnswerForm, RefusedEvent } from '../../platform/http/answer-request.ts'
import { requestIdHeader } from '../../platform/http/common-headers.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import { presentPagesError } from './present-pages-error.ts'

/**
 * Headers of every response. It is data that must not be sniffed, executed or framed, and is mostly
 * personal.
 */
const fixedHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'",
  'x-frame-options': 'DENY',
}

/** The methods and headers that a script of an allowed origin may send. */
export const preflightHeaders = {
  'access-control-allow-methods': 'GET,POST,PUT,DELETE',
  'access-control-allow-headers': 'Accept,Authorization,Content-Type,php-auth-pw',
}

/** Returns whether scripts of the request's origin may read the response. */
export function allowsOrigin(
  origins: readonly string[],
  { req }: Pick<RefusedEvent, 'req'>,
): boolean {
  const origin = req.headers.get('origin')
  return origin !== null && origins.includes(origin)
}

/**
 * Creates the form of responses. It differs from that of the service's own errors, and allows the
 * configured origins only.
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

/** Returns whether an error is logged with its cause. A full queue is expected and is not. */
const isUnexpected = (thrown: unknown, status: number): boolean =>
  status === 500 || (status > 500 && thrown instanceof Error && thrown.cause !== undefined)
