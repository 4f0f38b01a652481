import type { H3Event } from 'h3'
import { badJson } from '../errors/request-errors.ts'
import { maxPlainBodyBytes } from './body-limit.ts'
import { parseJson, plainJson } from './plain-json.ts'
import { readText } from './read-text.ts'

/**
 * The body as a JSON object, whatever media type it claims. `null` counts as an empty object.
 *
 * @param maxBytes `maxBodyBytes` where metadata may come along.
 * @throws AuthError `request_entity_too_large` (413), and what `parseJson` and `plainJson` throw.
 */
export async function readJson(
  event: H3Event,
  maxBytes = maxPlainBodyBytes,
): Promise<Record<string, unknown>> {
  return jsonIn(await readText(event, maxBytes))
}

/** The same of a body that has been read. */
export function jsonIn(text: string): Record<string, unknown> {
  if (text === '') throw badJson('unexpected end of JSON input')
  return plainJson(parseJson(text) ?? {})
}
