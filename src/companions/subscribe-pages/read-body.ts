import { AuthError } from '../../platform/errors/auth-error.ts'
import { parseJson, plainJson } from '../../platform/http/plain-json.ts'
import { invalidData, invalidJson } from './pages-error.ts'

/**
 * Reads the text of a body as a JSON object. No text counts as an empty object. Errors contain none of it.
 *
 * @throws SubscribePagesError 400.
 */
export function readBody(text: string): Record<string, unknown> {
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
