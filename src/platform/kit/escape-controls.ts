/** Control characters that JSON contains, line separators, and changes of the direction of text. */
export const controlsInJson = '\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069'

const inJson = new RegExp(`[${controlsInJson}]`, 'g')

/**
 * Escapes the control characters in JSON that `JSON.stringify` leaves: U+007F to U+009F, line
 * separators, and those that change the direction of text. Texts of users would otherwise drive the
 * terminal of its reader, or reorder its line.
 */
export const escapeControls = (json: string): string =>
  json.replace(inJson, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
