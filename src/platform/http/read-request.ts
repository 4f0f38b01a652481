import type { H3Event } from 'h3'
import { validationFailed } from '../errors/request-errors.ts'
import { isStorable } from '../kit/storable-text.ts'
import { parseBearer } from './request-like.ts'

/** Returns the token of the `Authorization` header; null without one. @see RFC 6750 §2.1 */
export const readOptionalBearer = (event: H3Event): string | null =>
  parseBearer(event.req.headers.get('authorization'))

/**
 * Returns a parameter of the query; empty counts as absent.
 *
 * @throws AuthError `validation_failed` if it is repeated, since two readers might use different
 *   values, if it contains characters that cannot be stored, or if there are too many.
 */
export function readQuery({ url }: H3Event, name: string): string | undefined {
  requireFewFields(url.search, 'query')
  return readOnce(url.searchParams, name, name)
}

/**
 * Returns the parameters of the query whose names the client chose. Errors do not repeat such a
 * name: pages show them.
 *
 * @throws AuthError as {@link readQuery}.
 */
export function readOtherParameters(
  { url }: H3Event,
  isOther: (name: string) => boolean,
): Record<string, string> {
  requireFewFields(url.search, 'query')
  const names = [...new Set(url.searchParams.keys())].filter(isOther)
  const read = (name: string) => readOnce(url.searchParams, name, 'a parameter') ?? ''
  return Object.fromEntries(names.map((name) => [name, read(name)]))
}

/** Returns one of several parameters. */
function readOnce(parameters: URLSearchParams, name: string, shown: string): string | undefined {
  const [value, ...others] = parameters.getAll(name)
  if (others.length > 0) throw validationFailed(`${shown}: must not be repeated`)
  if (value && !isStorable(value)) {
    throw validationFailed(`${shown}: holds characters that cannot be stored`)
  }
  return value || undefined
}

const formType = /^application\/x-www-form-urlencoded\b/i

/** Finds a field of a submitted form; empty counts as missing. */
export type Form = (name: string) => string | undefined

/**
 * Parses a body as a submitted form; null for any other. JSON is not a form, although `curl -d`
 * declares it as one. A field may be in the body or in the query, once.
 */
export function formIn({ req, url }: H3Event, body: string): Form | null {
  if (!formType.test(req.headers.get('content-type') ?? '') || /^\s*\{/.test(body)) return null
  requireFewFields(url.search, 'query')
  const submitted = new URLSearchParams(requireFewFields(body))
  const fields = new URLSearchParams([...url.searchParams, ...submitted])
  return (name) => readOnce(fields, name, name)
}

/** The most fields of a form or query. Those of pages and clients have fewer than 150. */
const maxFields = 500

/**
 * Rejects a form or query with more fields than any request needs, before they are read. A body of
 * 64 KiB can contain 16,000 fields whose percent-encoding is invalid: to read them blocks the event
 * loop for 0.2 s.
 *
 * @returns the text.
 * @throws AuthError `validation_failed` (400).
 */
export function requireFewFields(text: string, place: 'body' | 'query' = 'body'): string {
  let count = 0
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) {
    count += 1
    if (count >= maxFields)
      throw validationFailed(`${place}: contains more than ${maxFields} fields`)
  }
  return text
}
