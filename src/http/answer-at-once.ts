import { type H3Event, HTTPResponse } from 'h3'
import { commonHeaders } from './common-headers.ts'

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
