import { validationFailed } from '../errors/request-errors.ts'

/** What an index holds has to fit on a page of it. */
const maxBytes = 255

/**
 * Text that any index can hold.
 *
 * @throws AuthError `validation_failed`, naming the field.
 */
export function requireShort(text: string, field: string): string {
  if (Buffer.byteLength(text) <= maxBytes) return text
  throw validationFailed(`${field}: cannot be longer than ${maxBytes} bytes`)
}
