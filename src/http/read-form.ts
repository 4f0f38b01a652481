import type { H3Event } from 'h3'
import { readOnce } from './read-request.ts'

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
