/** Whether PostgreSQL can keep a text: it takes neither NUL nor halves of surrogate pairs. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** A text without what PostgreSQL cannot keep; null when nothing is left. */
export const storableText = (text: string | null | undefined): string | null =>
  text?.replaceAll('\0', '').toWellFormed() || null
