import type { ReadableStream } from 'node:stream/web'

/**
 * What a request is answered with. It is made of nothing that a host could have replaced, such as
 * `Response` or `Headers`: only what leaves the process is put into the host's form.
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
 * Where an adapter finds what answers without a `Response`. A registered symbol, since a bundler may
 * have given the adapter a copy of this module of its own.
 */
export const answering: unique symbol = Symbol.for('latchkey.answering') as never

/**
 * Where a companion finds the door of a service: see `companion-host.ts`, which `import 'latchkey'` does not load. Registered
 * for the same reason.
 */
export const companionHost: unique symbol = Symbol.for('latchkey.companions') as never

/** Answers one request. Does not throw. */
export type AnswerRequest = (request: Request) => Promise<Answer>

/**
 * Sends a browser on, without the body in which h3's own redirect repeats the URL: tokens have no place there.
 *
 * @param status 302, as OAuth has always done it, or 303. @see RFC 6749 §4.1.2, RFC 9110 §15.4.4
 */
export const redirectAnswer = (
  status: 302 | 303,
  location: string,
  headers: Record<string, string> = {},
): Answer => new Answer(status, { ...headers, location, 'cache-control': 'no-store' })
