/** Whether PostgreSQL can keep a text: it takes neither NUL nor halves of surrogate pairs. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()
