import { validationFailed } from '../../errors/request-errors.ts'

/** What indexes hold has to fit on a page of theirs. */
const maxBytes = 255

/** @throws AuthError `validation_failed` for text that no index could hold. */
export function requireShort(text: string | undefined, field: string): string | undefined {
  if (text === undefined || Buffer.byteLength(text) <= maxBytes) return text
  throw validationFailed(`${field}: cannot be longer than ${maxBytes} bytes`)
}
