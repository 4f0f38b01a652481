import { AuthError, type AuthErrorDetails } from '../../platform/errors/auth-error.ts'
import { bestLanguage } from '../../platform/kit/languages.ts'
import { sentenceOf, sentenceOfError } from './form-state.ts'
import { createTexts } from './texts/texts.ts'

const texts = createTexts({})

/**
 * Returns the sentence that the pages of the service show for an error, for the forms of an
 * application: for an error of a hook, its message. A fault, and an error without a sentence, is
 * `Something went wrong`.
 *
 * @param error an `AuthError`, or another object with one of its codes as `code`.
 * @param languages of BCP 47, the preferred first, as `auth.callOptions(request)` contains them.
 *   English, German and French are built in.
 * @example errorText(error, ['de']) // 'Diese Angaben sind falsch. …'
 */
export function errorText(error: unknown, languages: readonly string[] = []): string {
  const { code, details } = Object(error) as Partial<AuthError>
  const text = texts(bestLanguage(languages))
  if (error instanceof AuthError) return sentenceOfError(text, error)
  const { retryAfterSeconds, weakPasswordReasons } = Object(details) as AuthErrorDetails
  return sentenceOf(text, String(code), retryAfterSeconds, weakPasswordReasons)
}
