import type { H3Event } from 'h3'
import { AuthError } from '../../errors/auth-error.ts'
import { maxBodyBytes } from '../../http/body-limit.ts'
import { parseJson, plainJson } from '../../http/plain-json.ts'
import { readText } from '../../http/read-text.ts'
import { invalidData, invalidJson } from './pages-error.ts'

/**
 * The body as a JSON object, whatever media type it claims. None at all counts as an empty object. Nothing of it is
 * repeated in a refusal.
 *
 * @throws SubscribePagesError 400; AuthError `request_entity_too_large` (413).
 */
export async function readBody(
  event: H3Event,
  maxBytes = maxBodyBytes,
): Promise<Record<string, unknown>> {
  const text = await readText(event, maxBytes)
  const value = refusing(() => parseJson(text.trim() === '' ? '{}' : text), invalidJson)
  return refusing(
    () => plainJson(value),
    (error) => invalidData('it is no object that can be stored.', error),
  )
}

function refusing<T>(read: () => T, refusal: (error: AuthError) => Error): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    if (error.code === 'bad_json') throw refusal(error)
    throw invalidData('it holds more, deeper or other values than can be stored.', error)
  }
}
