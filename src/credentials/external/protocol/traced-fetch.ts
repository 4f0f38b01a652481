import {
  errorTypeOf,
  secondsSince,
  type Telemetry,
} from '../../../platform/observability/telemetry.ts'
import type { Fetch } from './request-provider.ts'

/**
 * Wraps requests to providers in spans. A span contains the origin of the URL only: paths and
 * queries may contain tokens.
 */
export function tracedFetch(fetch: Fetch, telemetry: Telemetry | null): Fetch {
  if (!telemetry) return fetch
  return (url, options) => {
    const attributes = { 'http.request.method': options.method ?? 'GET', ...serverOf(url) }
    const startedAt = performance.now()
    const note = (outcome: Record<string, string | number>) =>
      telemetry.time('http.client.request.duration', secondsSince(startedAt), {
        ...attributes,
        ...outcome,
      })
    const step = { name: attributes['http.request.method'], kind: 'client', attributes } as const
    return telemetry.run(step, async (span) => {
      try {
        const answer = await fetch(url, options)
        const status = { 'http.response.status_code': answer.status }
        span.set(status)
        if (answer.status >= 400) span.fail(String(answer.status))
        note({ ...status, ...(answer.status >= 400 && { 'error.type': String(answer.status) }) })
        return answer
      } catch (error) {
        note({ 'error.type': errorTypeOf(error) })
        throw error
      }
    })
  }
}

function serverOf(given: string) {
  const url = URL.parse(given)
  if (!url) return {}
  const usualPort = url.protocol === 'http:' ? 80 : 443
  return { 'server.address': url.hostname, 'server.port': Number(url.port) || usualPort }
}
