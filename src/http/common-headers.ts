import type { H3EventContext } from 'h3'
import { exposedHeaders } from './cors.ts'
import { requestIdHeader } from './request-id.ts'

declare module 'h3' {
  interface H3EventContext {
    /** The answer was made with the headers that all answers have. */
    hasCommonHeaders?: boolean
  }
}

/**
 * What every answer says: the id of its request, that it is not to be kept, since most are about one
 * person, and that scripts of any origin may read it. A route may say otherwise of the second.
 */
export function commonHeaders({ requestId, isWithheld }: H3EventContext): Record<string, string> {
  const headers: Record<string, string> = {
    [requestIdHeader]: requestId ?? '',
    'cache-control': 'no-store',
  }
  if (isWithheld) return headers
  headers['access-control-allow-origin'] = '*'
  headers['access-control-expose-headers'] = exposedHeaders
  return headers
}

/** Gives its headers to an answer that does not have them yet. */
export function setCommonHeaders(response: Response, context: H3EventContext): void {
  // To ask for the headers makes them, which is what was saved.
  if (context.hasCommonHeaders) return
  const { headers } = response
  for (const [name, value] of Object.entries(commonHeaders(context))) {
    if (name !== 'cache-control' || !headers.has(name)) headers.set(name, value)
  }
}
