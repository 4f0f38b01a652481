import type { ReadableStream } from 'node:stream/web'

/**
 * A response. It does not use classes that a host could have replaced, such as `Response` or
 * `Headers`: an adapter converts it to the host's form.
 */
export class Answer {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Record<string, string>
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | null

  constructor(
    status: number,
    headers: Record<string, string> = {},
    body: string | Uint8Array | ReadableStream<Uint8Array> | null = null,
  ) {
    this.status = status
    this.headers = headers
    this.body = body
  }
}

export const jsonAnswer = (
  status: number,
  body: object,
  headers: Record<string, string> = {},
): Answer =>
  new Answer(
    status,
    { ...headers, 'content-type': 'application/json;charset=UTF-8' },
    JSON.stringify(body),
  )

/**
 * The key of the function by which an app responds without a `Response`. A registered symbol, since
 * a bundler may give an adapter its own copy of this module.
 */
export const answering: unique symbol = Symbol.for('latchkey.answering') as never

/**
 * The key of a service's capability host: see `capability-host.ts`, which `import 'latchkey'` does
 * not load. Registered for the same reason.
 */
export const capabilityHost: unique symbol = Symbol.for('latchkey.capabilities') as never

/** Responds to one request. Never rejects. */
export type AnswerRequest = (request: Request) => Promise<Answer>

/**
 * Redirects a browser without a body: h3's own redirect repeats the URL there, which may contain
 * tokens.
 *
 * @param status 302, the status of OAuth, or 303. @see RFC 6749 §4.1.2, RFC 9110 §15.4.4
 */
export const redirectAnswer = (
  status: 302 | 303,
  location: string,
  headers: Record<string, string> = {},
): Answer => new Answer(status, { ...headers, location, 'cache-control': 'no-store' })
