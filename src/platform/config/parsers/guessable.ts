/**
 * The fewest distinct characters of a random text: 32 hexadecimal digits have fewer once in 100,000
 * cases.
 */
const minDistinct = 9

/**
 * Words of examples, and alphabets. Each occurs in a random text less than once in a million cases.
 */
const placeholder =
  /change[-_ ]?(?:me|this)|replace[-_ ]?(?:me|this)|super[-_ ]?secret|my[-_ ]secret|your[-_ ].*(?:secret|key)|insecure|password|placeholder|do[-_ ]not[-_ ]use|abcdefgh|qwertyui|0123456789/i

/** A placeholder that a shell or template did not replace. */
const unfilled = /\$\{|\$\(|\{\{|<[^<>]{3,}>/

const publicPem = /-----BEGIN [A-Z ]*(?:PUBLIC KEY|CERTIFICATE)-----/

/** Random-looking secrets of published examples. */
const published = /37c304f8-51aa-419a-a1af-06154e63707a|f023d3db-39dc-4ac9-87b2-b2be72e9162b/i

/**
 * Reports whether a secret has few distinct characters, repeats a part, or contains published text.
 */
export function isGuessable(secret: string): boolean {
  const known = [placeholder, unfilled, publicPem, published]
  if (new Set(secret).size < minDistinct || known.some((form) => form.test(secret))) return true
  const half = Math.floor(secret.length / 2)
  const shifts = Array.from({ length: half }, (_, index) => index + 1)
  return shifts.some((shift) => secret.startsWith(secret.slice(shift)))
}
