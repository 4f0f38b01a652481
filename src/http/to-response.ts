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
  const response = new NativeResponse(body as ConstructorParameters<typeof Response>[0], {
    status,
    headers,
  })
  if (response.status !== status)
    throw new Error('globalThis.Response is not of the Fetch standard')
  return response
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
