import type { H3Event } from 'h3'
import { noAuthorization, validationFailed } from '../errors/request-errors.ts'
import { isStorable } from '../kit/storable-text.ts'
import { parseBearer } from './request-like.ts'

/**
 * The token of the `Authorization` header.
 *
 * @throws AuthError `no_authorization` (401) when there is none.
 * @see RFC 6750 §2.1
 */
export function readBearer(event: H3Event): string {
  const token = parseBearer(event.req.headers.get('authorization'))
  if (token === null) throw noAuthorization()
  return token
}

/** The same where there need not be one: null without. */
export const readOptionalBearer = (event: H3Event): string | null =>
  parseBearer(event.req.headers.get('authorization'))

/**
 * A parameter of the query; empty counts as missing.
 *
 * @throws AuthError `validation_failed` when it is repeated, since two readers might believe different
 *   ones, and when it holds what no stored text holds.
 */
export const readQuery = (event: H3Event, name: string): string | undefined =>
  readOnce(event.url.searchParams, name)

/** The same of any parameters. */
function readOnce(parameters: URLSearchParams, name: string): string | undefined {
  const [value, ...others] = parameters.getAll(name)
  if (others.length > 0) throw validationFailed(`${name}: must not be repeated`)
  if (value && !isStorable(value)) {
    throw validationFailed(`${name}: holds characters that cannot be stored`)
  }
  return value || undefined
}

const formType = /^application\/x-www-form-urlencoded\b/i

/** Finds a field of a submitted form; empty counts as missing. */
export type Form = (name: string) => string | undefined

/**
 * A body as the form that a page submitted; null for any other. JSON is none, though `curl -d` calls it
 * so. A field may stand in the body or in the query, once.
 */
export function formIn({ req, url }: H3Event, body: string): Form | null {
  if (!formType.test(req.headers.get('content-type') ?? '') || /^\s*\{/.test(body)) return null
  const fields = new URLSearchParams([...url.searchParams, ...new URLSearchParams(body)])
  return (name) => readOnce(fields, name)
}
