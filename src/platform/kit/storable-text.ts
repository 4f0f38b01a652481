import { validationFailed } from '../errors/request-errors.ts'

/** Whether PostgreSQL can keep a text: it takes neither NUL nor halves of surrogate pairs. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** A text without what PostgreSQL cannot keep; null when nothing is left. */
export const storableText = (text: string | null | undefined): string | null =>
  text?.replaceAll('\0', '').toWellFormed() || null

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
