import type { ReadableStream } from 'node:stream/web'
import { setImmediate as letOthersRun } from 'node:timers/promises'
import type { H3Event } from 'h3'
import { builtIn } from '../kit/built-in.ts'
import { memoize } from '../kit/memoize.ts'
import type { ServiceRequest } from './service-request.ts'

/**
 * A response. It does not use classes that a host could have replaced, such as `Response` or
 * `Headers`: an adapter converts it to the host's form.
 */
export class Answer {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Record<string, string>
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | null
  /** The values of `Set-Cookie`, in addition to one in `headers`. */
  readonly cookies: readonly string[]

  constructor(
    status: number,
    headers: Record<string, string> = {},
    body: string | Uint8Array | ReadableStream<Uint8Array> | null = null,
    cookies: readonly string[] = [],
  ) {
    this.status = status
    this.headers = headers
    this.body = body
    this.cookies = cookies
  }
}

export const jsonType = 'application/json;charset=UTF-8'

export const jsonAnswer = (
  status: number,
  body: object,
  headers: Record<string, string> = {},
): Answer => new Answer(status, { ...headers, 'content-type': jsonType }, JSON.stringify(body))

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
export interface AnswerRequest {
  (request: ServiceRequest): Promise<Answer>
  /** Responds to requests of constant endpoints. An app that wraps another one passes it on. */
  atOnce?: AnswerAtOnce | undefined
}

/** A request as far as a response of a constant endpoint depends on it. */
export interface RequestHead {
  method: string
  /** The request target: path and query. */
  target: string
  header(name: string): string | null
}

/**
 * Returns the response of a constant endpoint, without the objects that other requests need: they
 * cost several times the response. Null for any other request.
 */
export type AnswerAtOnce = (request: RequestHead) => ConstantAnswer | null

/** A response that is sent as it is. */
export interface ConstantAnswer {
  status: 200
  /** Names and values in turn, as `writeHead` accepts them. */
  headers: string[]
  body: string
}

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

/** The number of items that are serialized at once, in a few milliseconds. */
const itemsInOneGo = 100

/**
 * Serializes a JSON list, a few items at a time, so that other work of this thread can run in
 * between.
 */
export async function jsonList<Item>(
  items: readonly Item[],
  present: (item: Item) => unknown,
): Promise<string> {
  const parts: string[] = []
  for (let at = 0; at < items.length; at += itemsInOneGo) {
    if (at > 0) await letOthersRun()
    const slice = items.slice(at, at + itemsInOneGo).map(present)
    parts.push(JSON.stringify(slice).slice(1, -1))
  }
  return `[${parts.join()}]`
}

/** Returns a response of serialized JSON. */
export const answerJsonText = ({ context }: H3Event, text: string): Answer =>
  new Answer(200, { ...context.answerHeaders, 'content-type': jsonType }, text)

/**
 * Returns Node's `Response` class, even if a host has replaced the global by a subclass before the
 * first call, or replaces it later. Hosts that replace it, such as Hono, accept Node's own class,
 * which `fetch` returns, too.
 */
const nativeResponse = memoize((scope: typeof globalThis) => baseOf(scope.Response))

/**
 * Captures Node's `Response` class when a service is created. Node loads its implementation, and
 * `fetch` with it, at the first access. That takes 30 ms, so neither `import 'latchkey'`
 * nor the standalone server, which responds through `node:http`, accesses it.
 */
export const captureResponse = (): void => void nativeResponse(globalThis)

/**
 * Converts a response into the form of the Fetch standard.
 *
 * @throws Error if a host had replaced `Response` by another class before the first service was
 *   created. A rejection must never become a success.
 */
export function toResponse({ status, headers, body, cookies }: Answer): Response {
  const sent = body instanceof Uint8Array ? streamOf(body) : body
  const response = new (nativeResponse(globalThis))(
    sent as ConstructorParameters<typeof Response>[0],
    {
      status,
      headers,
    },
  )
  if (response.status !== status)
    throw new Error('globalThis.Response is not of the Fetch standard')
  for (const cookie of cookies) response.headers.append('set-cookie', cookie)
  return response
}

const sliceBytes = 65_536

/** Streams shared bytes at the pace of the reader: a `Response` would copy them. */
function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0
  return new builtIn.webStreams.ReadableStream({
    pull: (controller) => {
      // A copy of a slice: a reader may transfer the buffer.
      if (at < bytes.length) controller.enqueue(bytes.slice(at, at + sliceBytes))
      at += sliceBytes
      if (at >= bytes.length) controller.close()
    },
  })
}

/** Returns the base class of a class hierarchy. */
function baseOf(given: typeof Response): typeof Response {
  let base = given
  for (let next = base; isClass(next); next = Object.getPrototypeOf(next)) base = next
  return base
}

function isClass(value: unknown): value is typeof Response {
  return typeof value === 'function' && value !== Function.prototype
}
