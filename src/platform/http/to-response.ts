import { ReadableStream } from 'node:stream/web'
import type { Answer } from './answer.ts'

/**
 * The class behind the global of that name when this was loaded. Hosts replace the global by classes of
 * their own, before that or after; those that do, as Hono, get along with Node's own, which is also what
 * `fetch` gives them.
 */
const NativeResponse = baseOf(globalThis.Response)

/**
 * An answer in the form of the Fetch standard.
 *
 * @throws Error where a host had replaced `Response` by something else before we were loaded. A refusal
 *   must not leave as anything but a refusal.
 */
export function toResponse({ status, headers, body }: Answer): Response {
  const sent = body instanceof Uint8Array ? streamOf(body) : body
  const response = new NativeResponse(sent as ConstructorParameters<typeof Response>[0], {
    status,
    headers,
  })
  if (response.status !== status)
    throw new Error('globalThis.Response is not of the Fetch standard')
  return response
}

const sliceBytes = 65_536

/** Bytes that many responses share, at the pace of one reader: a `Response` would copy them. */
function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream({
    pull: (controller) => {
      // A copy of a slice: a reader may transfer what it is given.
      if (at < bytes.length) controller.enqueue(bytes.slice(at, at + sliceBytes))
      at += sliceBytes
      if (at >= bytes.length) controller.close()
    },
  })
}

/** The class at the beginning of a line of classes. */
function baseOf(given: typeof Response): typeof Response {
  let base = given
  for (let next = base; isClass(next); next = Object.getPrototypeOf(next)) base = next
  return base
}

function isClass(value: unknown): value is typeof Response {
  return typeof value === 'function' && value !== Function.prototype
}
