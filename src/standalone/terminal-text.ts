import { escapeControls } from '../platform/kit/escape-controls.ts'

/**
 * Returns a value as JSON without control characters: it may contain texts of users, and
 * `JSON.stringify` does not escape U+007F to U+009F.
 */
export const jsonForTerminal = (value: unknown): string =>
  escapeControls(JSON.stringify(value, null, 2))

/** Removes control sequences from text of several lines. */
export const textForTerminal = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are removed
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, ' ')
