import type { H3EventContext } from 'h3'
import type { Deps } from '../../accounts/auth-context.ts'
import { type Decision, rejection } from '../../accounts/decisions/decision.ts'
import type { Answer } from '../../platform/http/answer.ts'
import { readRequestId } from '../../platform/http/common-headers.ts'
import type { ServiceRequest } from '../../platform/http/service-request.ts'
import { logsWarningsOnly } from '../../platform/observability/logger.ts'
import { clientOf } from './client-of.ts'

declare module 'h3' {
  interface H3EventContext {
    /** The id of the request, in its response and its log line. */
    requestId?: string
    /** The time at which the request was received, in milliseconds of a monotonic clock. */
    startedAt?: number
    /** The code of the error response. */
    errorCode?: string
    /** Other decisions about the request. */
    decisions?: Decision[]
  }
}

const unlogged = /\/(health|ready|_latchkey\/.*)$/

/** Returns the initial context of a request. */
export const beginRequest = (
  { config, random }: Deps,
  request: ServiceRequest,
): H3EventContext => ({
  startedAt: performance.now(),
  requestId: readRequestId(
    (name) => request.headers.get(name),
    config.server.requestIdHeader,
    random,
  ),
})

/**
 * Writes one line about a completed request. Health checks and the polling of developer pages are
 * left out.
 */
export function logRequest(
  { logger }: Pick<Deps, 'logger'>,
  { method }: Pick<ServiceRequest, 'method'>,
  { status }: Pick<Answer, 'status'>,
  { matchedRoute, requestId, startedAt, errorCode }: H3EventContext,
): void {
  if (logsWarningsOnly(logger)) return
  const route = matchedRoute?.route
  if (route && unlogged.test(route)) return
  const fields = {
    requestId: requestId ?? null,
    method,
    route: route ?? null,
    status,
    durationMs: Math.round((performance.now() - (startedAt ?? 0)) * 10) / 10,
    ...(errorCode && { errorCode }),
  }
  const level = status >= 500 ? 'error' : status >= 400 ? 'warn' : 'info'
  logger[level](fields, 'request completed')
}

/**
 * Stores the decisions about a request for the operator. Requests without a matching endpoint are
 * left out.
 */
export function noteDecisions(
  { decisions: decisionLog, config }: Deps,
  request: ServiceRequest & { ip?: string | undefined },
  { status }: Answer,
  { matchedRoute, requestId, errorCode, decisions = [] }: H3EventContext,
): void {
  const route = matchedRoute?.route
  if (!requestId || !route || unlogged.test(route)) return
  const all = errorCode === undefined ? decisions : [...decisions, rejection(errorCode)]
  if (all.length === 0) return
  decisionLog.note({
    requestId,
    endpoint: `${request.method} ${route}`,
    status,
    client: clientOf(config, request).key(),
    decisions: all,
  })
}
