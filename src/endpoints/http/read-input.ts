import type { H3Event } from 'h3'
import type { RequestedRedirect } from '../../limits/redirects/allowed-redirect.ts'
import { checkBody } from '../../platform/http/check-input.ts'
import type { Fields, Read } from '../../platform/http/inputs.ts'
import type { Endpoint } from './endpoint.ts'
import { readRedirectTo } from './read-redirect-to.ts'

/** The input of an endpoint, by the names that code has for its fields. */
export type InputOf<E extends Pick<Endpoint, 'query' | 'body'>> = (E extends {
  body: Fields<infer Kinds>
}
  ? Read<Kinds>
  : unknown) &
  (E extends { query: { redirectTo: unknown } } ? { redirect: RequestedRedirect } : unknown)

/**
 * Reads the fields of a body, and the target of a redirect where the endpoint accepts one. Nothing
 * but the JSON types of the fields is checked.
 *
 * @throws AuthError `bad_json`, `validation_failed` (400), naming the field.
 */
export function readInput<E extends Pick<Endpoint, 'query' | 'body'>>(
  event: H3Event,
  { query, body }: E,
  json: Record<string, unknown>,
): InputOf<E> {
  const read = body ? checkBody(json, body) : {}
  const redirect = query && 'redirectTo' in query ? { redirect: readRedirectTo(event) } : {}
  return { ...read, ...redirect } as InputOf<E>
}
