const htmlEscapes: Record<string, string> = {
  '\0': '\ufffd',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
  // Old mail clients read UTF-7, where a plus sign starts an escape.
  '+': '&#43;',
}

/** Escapes a value in text, or in a quoted attribute. */
export const escapeHtml = (text: string): string =>
  text.replace(/[\0&<>"'+]/g, (character) => htmlEscapes[character] ?? '')

/**
 * Escapes a value in an unquoted attribute, which any character except letters and digits might
 * end.
 */
export function escapeUnquoted(text: string): string {
  if (text === '') return '&#32;'
  return text.replace(/[^\p{L}\p{N}]/gu, (character) =>
    character === '\0' ? '\ufffd' : `&#${character.codePointAt(0)};`,
  )
}

/** Escapes one value in the query of a URL. */
export const escapeQuery = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, percentEncoded)

/** Escapes a URL, or a part that may contain slashes. Existing escapes are kept. */
export const normalizeUrl = (text: string): string =>
  text
    .toWellFormed()
    .replace(/%(?![\da-fA-F]{2})|[^\w\-.~:/?#[\]@!$&*+,;=%]/gu, (character) =>
      percentEncoded(character),
    )

const percentEncoded = (text: string): string =>
  [...Buffer.from(text)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('')

/**
 * Escapes a value in a script, with or without quotes: all characters except letters and digits are
 * written as their number. The value remains one string between quotes, and at most one word
 * without.
 */
export const escapeScript = (text: string): string =>
  text.replace(/[^a-zA-Z0-9]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/**
 * Escapes a value in a style. Characters that can neither end a declaration nor begin a function
 * are kept.
 */
export const escapeStyle = (text: string): string =>
  text.replace(
    /[^a-zA-Z0-9 #%.,-]/gu,
    (character) => `\\${character.codePointAt(0)?.toString(16).padStart(6, '0')}`,
  )
