/** The least that texts have that chance made: 32 hexadecimal digits have fewer once in 100,000 times. */
const minDistinct = 9

/** Words of examples, and alphabets. None of them is in a random text more often than once in a million times. */
const placeholder =
  /change[-_ ]?(?:me|this)|replace[-_ ]?(?:me|this)|super[-_ ]?secret|my[-_ ]secret|your[-_ ].*(?:secret|key)|insecure|password|placeholder|do[-_ ]not[-_ ]use|abcdefgh|qwertyui|0123456789/i

/** The place of a secret, which a shell or template was to fill. */
const unfilled = /\$\{|\$\(|\{\{|<[^<>]{3,}>/

const publicPem = /-----BEGIN [A-Z ]*(?:PUBLIC KEY|CERTIFICATE)-----/

/** Secrets of examples that look as if chance had made them. */
const published = /37c304f8-51aa-419a-a1af-06154e63707a|f023d3db-39dc-4ac9-87b2-b2be72e9162b/i

/** Whether a secret is made of few different characters, of a part that is repeated, or of what others have published. */
export function isGuessable(secret: string): boolean {
  const known = [placeholder, unfilled, publicPem, published]
  if (new Set(secret).size < minDistinct || known.some((form) => form.test(secret))) return true
  const half = Math.floor(secret.length / 2)
  const shifts = Array.from({ length: half }, (_, index) => index + 1)
  return shifts.some((shift) => secret.startsWith(secret.slice(shift)))
}
