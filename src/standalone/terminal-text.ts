/**
 * A value as JSON that drives no terminal: it may hold texts of users, and `JSON.stringify` leaves the control characters
 * from U+007F to U+009F as they are.
 */
export const jsonForTerminal = (value: unknown): string =>
  escapeControls(JSON.stringify(value, null, 2))

/** The same for text that is JSON already. */
export const escapeControls = (json: string): string =>
  json.replace(/[\u007f-\u009f]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`)

/** Text of several lines, which may come from elsewhere, without what drives a terminal. */
export const textForTerminal = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has no business there
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, ' ')
