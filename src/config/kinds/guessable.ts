import { isFailure, type Reading } from './kind.ts'

const warning =
  'is long enough and easy to guess, so others could sign as you do: `openssl rand -base64 32` makes a good one'

/** The least that texts have that chance made: 32 hexadecimal digits have fewer once in 100,000 times. */
const minDistinct = 9

/** Words that examples put where a secret belongs. */
const placeholder =
  /change[-_ ]?(?:me|this)|replace[-_ ]?(?:me|this)|super[-_ ]?secret|your[-_ ].*(?:secret|key)/i

/** A reading that warns where one of the secrets in it is easy to guess; their lengths are checked elsewhere. */
export function warnOfGuessable<Value>(
  reading: Reading<Value>,
  secretsIn: (value: Value) => readonly string[],
): Reading<Value> {
  if (isFailure(reading) || !secretsIn(reading.value).some(isGuessable)) return reading
  return { ...reading, warning }
}

/** Whether a secret is made of few different characters, of a part that is repeated, or of an example's words. */
function isGuessable(secret: string): boolean {
  if (new Set(secret).size < minDistinct || placeholder.test(secret)) return true
  const half = Math.floor(secret.length / 2)
  const shifts = Array.from({ length: half }, (_, index) => index + 1)
  return shifts.some((shift) => secret.startsWith(secret.slice(shift)))
}
