import type { H3EventContext } from 'h3'
import type { Deps } from '../../accounts/auth-context.ts'
import type { Decision } from '../../accounts/decisions/decision.ts'
import { refusal } from '../../accounts/decisions/decision.ts'
import { findClient } from '../../limits/client-address.ts'
import type { Answer } from '../../platform/http/answer.ts'
import { readRequestId } from '../../platform/http/request-id.ts'
import { logsWarningsOnly } from '../../platform/observability/logger.ts'

declare module 'h3' {
  interface H3EventContext {
    /** The id of the request, which its answer and its log tell. */
    requestId?: string
    /** When the request arrived, in milliseconds of a clock that never goes back. */
    startedAt?: number
    /** The code of the error that answered the request. */
    errorCode?: string
    /** What was decided beside that. */
    decisions?: Decision[]
  }
}

const unlogged = /\/(health|ready|_latchkey\/.*)$/

/** What is known of a request from its beginning. */
export const beginRequest = ({ config, random }: Deps, request: Request): H3EventContext => ({
  startedAt: performance.now(),
  requestId: readRequestId(request, config.server.requestIdHeader, random),
})

/**
 * Writes one line about a request that was answered. Health checks are left out, and what an open page
 * for developers asks by itself: they never end.
 */
export function logRequest(
  { logger }: Deps,
  { method }: Request,
  { status }: Answer,
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

/** Keeps what was decided about a request, for an operator who asks why. What came to no endpoint tells nothing. */
export function noteDecisions(
  { decisions: decisionLog, config }: Deps,
  request: Request & { ip?: string | undefined },
  { status }: Answer,
  { matchedRoute, requestId, errorCode, decisions = [] }: H3EventContext,
): void {
  const route = matchedRoute?.route
  if (!requestId || !route || unlogged.test(route)) return
  const all = errorCode === undefined ? decisions : [...decisions, refusal(errorCode)]
  if (all.length === 0) return
  const { rateLimits, security } = config
  const client = findClient(
    { header: (name) => request.headers.get(name), peer: request.ip ?? null },
    { ...rateLimits, forwardedFor: security.svcForwardedForEnabled },
  ).key()
  decisionLog.note({
    requestId,
    endpoint: `${request.method} ${route}`,
    status,
    client,
    decisions: all,
  })
}
