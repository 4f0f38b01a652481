import type { H3Event } from 'h3'
import type { RedirectWish } from '../redirects/allowed-redirect.ts'
import { maxBodyBytes, maxPlainBodyBytes } from './body-limit.ts'
import { checkBody } from './check-input.ts'
import type { Endpoint } from './endpoint.ts'
import type { Fields, Read } from './inputs.ts'
import { jsonIn } from './read-json.ts'
import { readRedirectTo } from './read-redirect-to.ts'
import { readText } from './read-text.ts'

type EndpointWithBody = Pick<Endpoint, 'query' | 'isBodyOptional'> & { body: Fields }

/** What a request says. */
type InputOf<E extends EndpointWithBody> = Read<E['body']['kinds']> &
  (E['query'] extends { redirectTo: unknown } ? { redirect: RedirectWish } : unknown)

/**
 * What the body of a request says, by the names that code has for it, and where it asks to be sent where its
 * endpoint lets it ask. Nothing but the JSON types of its fields has been checked.
 *
 * @throws AuthError `bad_json`, `validation_failed` (400), naming the field, `request_entity_too_large` (413).
 */
export async function readInput<E extends EndpointWithBody>(
  event: H3Event,
  { body, query, isBodyOptional }: E,
): Promise<InputOf<E>> {
  const text = await readText(event, body.mayBeLarge ? maxBodyBytes : maxPlainBodyBytes)
  const read = checkBody(jsonIn(isBodyOptional ? text || 'null' : text), body)
  const redirect = query && 'redirectTo' in query ? { redirect: readRedirectTo(event) } : {}
  return { ...read, ...redirect } as InputOf<E>
}
