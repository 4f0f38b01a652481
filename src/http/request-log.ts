import type { H3, H3Event } from 'h3'
import type { Deps } from '../deps.ts'
import { readRequestId, requestIdHeader } from './request-id.ts'

declare module 'h3' {
  interface H3EventContext {
    /** When the request arrived, in milliseconds of a clock that never goes back. */
    startedAt?: number
    /** The code of the error that answered the request. */
    errorCode?: string
  }
}

/**
 * Gives each request its id, which every answer tells, and forbids keeping answers: most of them are
 * about one person.
 */
export function identifyRequests(app: H3, { config, random }: Deps): void {
  app.use((event, next) => {
    event.context.startedAt = performance.now()
    const id = readRequestId(event, config.server.requestIdHeader, random)
    for (const headers of [event.res.headers, event.res.errHeaders]) {
      headers.set(requestIdHeader, id)
      headers.set('cache-control', 'no-store')
    }
    return next()
  })
}

/** Writes one line about a request that was answered. Health checks are left out: they never end. */
export function logRequest({ logger }: Deps, response: Response, event: H3Event): void {
  const route = event.context.matchedRoute?.route
  if (route?.endsWith('/health')) return
  const { startedAt, errorCode } = event.context
  const fields = {
    requestId: response.headers.get(requestIdHeader),
    method: event.req.method,
    route: route ?? null,
    status: response.status,
    durationMs: Math.round((performance.now() - (startedAt ?? 0)) * 10) / 10,
    ...(errorCode && { errorCode }),
  }
  const level = response.status >= 500 ? 'error' : response.status >= 400 ? 'warn' : 'info'
  logger[level](fields, 'request completed')
}
