import { AuthError } from '../../platform/errors/auth-error.ts'
import { parseJson, plainJson } from '../../platform/http/plain-json.ts'
import { invalidData, invalidJson } from './pages-error.ts'

/**
 * Parses a body as a JSON object. An empty body is an empty object. Errors contain none of its
 * content.
 *
 * @throws SubscribePagesError 400.
 */
export function readBody(text: string): Record<string, unknown> {
  const value = refusing(() => parseJson(text.trim() === '' ? '{}' : text), invalidJson)
  return refusing(
    () => plainJson(value),
    (error) => invalidData('the body must be an object that can be stored.', error),
  )
}

function refusing<T>(read: () => T, refusal: (error: AuthError) => Error): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    if (error.code === 'bad_json') throw refusal(error)
    throw invalidData('the body contains too many, too deep or unsupported values.', error)
  }
}
