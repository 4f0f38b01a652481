import { bestLanguage } from '../../platform/kit/languages.ts'
import { sentenceOf } from './form-state.ts'
import { createTexts } from './texts/texts.ts'

const texts = createTexts({})

/**
 * Returns the sentence that the pages of the service show for an error, for the forms of an
 * application. A fault, and an error without a sentence, is `Something went wrong`.
 *
 * @param error an `AuthError`, or another object with one of its codes as `code`.
 * @param languages of BCP 47, the preferred first, as `auth.callOptions(request)` contains them.
 *   English, German and French are built in.
 * @example errorText(error, ['de']) // 'Diese Angaben sind falsch. …'
 */
export function errorText(error: unknown, languages: readonly string[] = []): string {
  const { code, details } = Object(error) as Partial<Described>
  const { retryAfterSeconds, weakPasswordReasons } = Object(details) as Described['details']
  return sentenceOf(
    texts(bestLanguage(languages)),
    String(code),
    retryAfterSeconds,
    weakPasswordReasons,
  )
}

interface Described {
  code: string
  details: { retryAfterSeconds?: number; weakPasswordReasons?: readonly string[] }
}
