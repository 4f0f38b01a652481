/** A cookie as the browser sent it. */
export interface CookiePair {
  /** Empty for one without a name. */
  name: string
  /** Name and value, unchanged. */
  text: string
}

/**
 * Splits a `Cookie` header. Nothing is decoded, and a name may be repeated.
 *
 * Only spaces and tabs around cookies are trimmed. `trim` would also remove a no-break space: a
 * subdomain may set a cookie whose name begins with one, which would then get the prefix `__Host-`.
 * @see RFC 6265bis §5.6
 */
export const cookiePairs = (header: string): CookiePair[] =>
  header
    .split(';')
    .map(withoutBlanks)
    .filter((text) => text !== '')
    .map((text) => ({ text, name: withoutBlanks(text.slice(0, Math.max(0, text.indexOf('=')))) }))

/** Returns the value of a cookie, not decoded. */
export const valueOfPair = ({ text }: CookiePair): string =>
  withoutBlanks(text.slice(text.indexOf('=') + 1))

/** Trims each end in one pass, since a header may contain thousands of blanks. */
function withoutBlanks(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text[start])) start += 1
  while (end > start && isBlank(text[end - 1])) end -= 1
  return text.slice(start, end)
}

const isBlank = (character: string | undefined): boolean => character === ' ' || character === '\t'
