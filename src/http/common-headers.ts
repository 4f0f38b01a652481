import { type H3Event, type H3EventContext, HTTPResponse } from 'h3'
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
function commonHeaders({ requestId, isWithheld }: H3EventContext): Record<string, string> {
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
export function setCommonHeaders(response: Response, { context }: H3Event): void {
  // To ask for the headers makes them, which is what was saved.
  if (context.hasCommonHeaders) return
  const { headers } = response
  for (const [name, value] of Object.entries(commonHeaders(context))) {
    if (name !== 'cache-control' || !headers.has(name)) headers.set(name, value)
  }
}

/**
 * What a route returns that is asked all day: JSON with all of its headers, or with nothing but those.
 * Set one by one on what h3 makes of a plain object, they take as long as writing the JSON does.
 */
export function answerAtOnce({ context }: H3Event, body: object | null): HTTPResponse {
  context.hasCommonHeaders = true
  const headers = commonHeaders(context)
  if (body === null) return new PreparedAnswer(null, 204, headers)
  headers['content-type'] = 'application/json;charset=UTF-8'
  return new PreparedAnswer(JSON.stringify(body), 200, headers)
}

/** h3 hands headers on as they are, so that they need not be `Headers`. */
class PreparedAnswer extends HTTPResponse {
  readonly #headers: Record<string, string>

  constructor(body: string | null, status: number, headers: Record<string, string>) {
    super(body, { status })
    this.#headers = headers
  }

  override get headers(): Headers {
    return this.#headers as unknown as Headers
  }
}
