/** A cookie as a browser sent it. */
export interface CookiePair {
  /** Empty for one without a name. */
  name: string
  /** Name and value, as they came. */
  text: string
}

/**
 * The cookies of a `Cookie` header, each as it came: nothing is decoded, and a name may come twice.
 *
 * Spaces and tabs around them go, and nothing else. To `trim` a no-break space is a space too, and a subdomain may set a cookie whose
 * name begins with one: what took it away would make a cookie with the prefix `__Host-` of it. @see RFC 6265bis §5.6
 */
export const cookiePairs = (header: string): CookiePair[] =>
  header
    .split(';')
    .map(withoutBlanks)
    .filter((text) => text !== '')
    .map((text) => ({ text, name: withoutBlanks(text.slice(0, Math.max(0, text.indexOf('=')))) }))

/** In one pass from each end: a header may have thousands of them. */
function withoutBlanks(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text[start])) start += 1
  while (end > start && isBlank(text[end - 1])) end -= 1
  return text.slice(start, end)
}

const isBlank = (character: string | undefined): boolean => character === ' ' || character === '\t'
