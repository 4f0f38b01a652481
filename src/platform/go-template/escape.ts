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

/** For text, and for attributes in quotes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[\0&<>"'+]/g, (character) => htmlEscapes[character] ?? '')

/** For attributes without quotes, which anything but a letter or digit might end. */
export function escapeUnquoted(text: string): string {
  if (text === '') return '&#32;'
  return text.replace(/[^\p{L}\p{N}]/gu, (character) =>
    character === '\0' ? '\ufffd' : `&#${character.codePointAt(0)};`,
  )
}

/** For one value in the query of a URL. */
export const escapeQuery = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, percentEncoded)

/** For a URL, or a part of one that may have slashes: what is escaped already stays as it is. */
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
 * For scripts, in and outside of quotes: letters and digits stay, everything else is written as its
 * number. So a value is the same text between quotes, and at most one word without.
 */
export const escapeScript = (text: string): string =>
  text.replace(/[^a-zA-Z0-9]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** For styles: what can neither end a declaration nor begin a function stays. */
export const escapeStyle = (text: string): string =>
  text.replace(
    /[^a-zA-Z0-9 #%.,-]/gu,
    (character) => `\\${character.codePointAt(0)?.toString(16).padStart(6, '0')}`,
  )
