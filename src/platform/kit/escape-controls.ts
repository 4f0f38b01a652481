/**
 * Escapes the control characters in JSON that `JSON.stringify` leaves: U+007F to U+009F, line
 * separators, and those that change the direction of text. Texts of users would otherwise drive the
 * terminal of its reader, or reorder its line.
 */
export const escapeControls = (json: string): string =>
  json.replace(
    /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
