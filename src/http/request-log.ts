import type { H3Event } from 'h3'
import type { Deps } from '../deps.ts'
import { isSilent } from '../observability/logger.ts'
import { readRequestId } from './request-id.ts'

declare module 'h3' {
  interface H3EventContext {
    /** The id of the request, which its answer and its log tell. */
    requestId?: string
    /** When the request arrived, in milliseconds of a clock that never goes back. */
    startedAt?: number
    /** The code of the error that answered the request. */
    errorCode?: string
  }
}

const unlogged = /\/(health|_latchkey\/.*)$/

/** Gives a request its id. */
export function identifyRequest({ config, random }: Deps, event: H3Event): void {
  event.context.startedAt = performance.now()
  event.context.requestId = readRequestId(event, config.server.requestIdHeader, random)
}

/**
 * Writes one line about a request that was answered. Health checks are left out, and what an open page
 * for developers asks by itself: they never end.
 */
export function logRequest({ logger }: Deps, response: Response, event: H3Event): void {
  if (isSilent(logger)) return
  const route = event.context.matchedRoute?.route
  if (route && unlogged.test(route)) return
  const { requestId, startedAt, errorCode } = event.context
  const fields = {
    requestId: requestId ?? null,
    method: event.req.method,
    route: route ?? null,
    status: response.status,
    durationMs: Math.round((performance.now() - (startedAt ?? 0)) * 10) / 10,
    ...(errorCode && { errorCode }),
  }
  const level = response.status >= 500 ? 'error' : response.status >= 400 ? 'warn' : 'info'
  logger[level](fields, 'request completed')
}
