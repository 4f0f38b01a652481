import { validationFailed } from '../errors/request-errors.ts'

/** Reports whether PostgreSQL can store a text: it accepts neither NUL nor unpaired surrogates. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** Removes characters that PostgreSQL cannot store; returns null if the rest is empty. */
export const storableText = (text: string | null | undefined): string | null =>
  text?.replaceAll('\0', '').toWellFormed() || null

/** An index entry has to fit on a page of the index. */
const maxBytes = 255

/** Two texts of this size fit in one entry, which takes 2,704 bytes at most. */
const maxIndexedBytes = 1_300

/** Reports whether any index can contain a text. */
export const isIndexable = (text: string): boolean => Buffer.byteLength(text) <= maxIndexedBytes

/**
 * Requires a text of another service that any index can contain.
 *
 * @throws AuthError `validation_failed`, naming the field.
 */
export function requireIndexable(text: unknown, field: string): void {
  if (typeof text !== 'string' || isIndexable(text)) return
  throw validationFailed(`${field}: cannot be longer than ${maxIndexedBytes} bytes`)
}

/**
 * Requires a text that any index can contain.
 *
 * @throws AuthError `validation_failed`, naming the field.
 */
export function requireShort(text: string, field: string): string {
  if (Buffer.byteLength(text) <= maxBytes) return text
  throw validationFailed(`${field}: cannot be longer than ${maxBytes} bytes`)
}
