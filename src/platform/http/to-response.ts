import { ReadableStream } from 'node:stream/web'
import { memoize } from '../kit/memoize.ts'
import type { Answer } from './answer.ts'

/**
 * Returns Node's `Response` class, even if a host has replaced the global by a subclass before the
 * first call, or replaces it later. Hosts that replace it, such as Hono, accept Node's own class,
 * which `fetch` returns, too.
 */
const nativeResponse = memoize((scope: typeof globalThis) => baseOf(scope.Response))

/**
 * Captures Node's `Response` class when a service is created. Node loads its implementation at the
 * first access, which is a third of the time of `import 'latchkey'`, so the module itself does not
 * access it.
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
  return new ReadableStream({
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
