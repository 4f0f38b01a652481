/**
 * Escapes the control characters in JSON that `JSON.stringify` leaves, U+007F to U+009F: texts of
 * users would otherwise drive the terminal of its reader.
 */
export const escapeControls = (json: string): string =>
  json.replace(/[\u007f-\u009f]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`)
