import { fails, isFailure, type Kind, type Reading, reads } from './kind.ts'
import { collect, list } from './lists.ts'

/** As long as the digest that the secret keys. @see RFC 7518 §3.2 */
const minBytes = 32

/**
 * One secret or several, of which the first makes and all read. A text is taken apart at commas, in
 * code as in the environment, so that the same variable works in both.
 */
export const rotatingSecrets: Kind<readonly string[], string | readonly string[]> = {
  name: 'secrets',
  emptyMeansAbsent: true,
  parse: reads,
  check: (given) => {
    const secrets = typeof given === 'string' ? given.split(/\s*,\s*/).filter(Boolean) : given
    if (!Array.isArray(secrets) || secrets.length === 0) return fails('must be a text, or several')
    const readings = secrets.map(checkLength)
    const [first, ...more] = readings
    if (more.length === 0 && first && isFailure(first)) return first
    const reading = collect(readings)
    const isWeak = !isFailure(reading) && reading.value.some(isGuessable)
    return isWeak ? { ...reading, warning: guessable } : reading
  },
}

const guessable =
  'is long enough and easy to guess, so anybody could make tokens: `openssl rand -base64 32` makes a good one'

/** The least that texts have that chance made: 32 hexadecimal digits have fewer once in 100,000 times. */
const minDistinct = 9

/** Words that examples put where a secret belongs. */
const placeholder =
  /change[-_ ]?(?:me|this)|replace[-_ ]?(?:me|this)|super[-_ ]?secret|your[-_ ].*(?:secret|key)/i

/** Whether a secret is made of few different characters, of a part that is repeated, or of an example's words. */
function isGuessable(secret: string): boolean {
  if (new Set(secret).size < minDistinct || placeholder.test(secret)) return true
  const half = Math.floor(secret.length / 2)
  const shifts = Array.from({ length: half }, (_, index) => index + 1)
  return shifts.some((shift) => secret.startsWith(secret.slice(shift)))
}

function checkLength(secret: unknown): Reading<string> {
  if (typeof secret !== 'string') return fails('must be a text')
  const length = Buffer.byteLength(secret)
  return length >= minBytes
    ? reads(secret)
    : fails(`must have at least ${minBytes} bytes, and has ${length}`)
}

const hookSecret =
  /^(?:v1,whsec_[A-Za-z0-9+/=]{32,88}|v1a,whpk_[A-Za-z0-9+/=]{44,}:whsk_[A-Za-z0-9+/=]{44,})$/

/** Secrets of Standard Webhooks, separated by `|` because each holds a comma. */
export const hookSecrets: Kind<readonly string[], string | readonly string[]> = {
  name: 'secrets',
  emptyMeansAbsent: true,
  parse: reads,
  check: (given) => {
    const secrets = typeof given === 'string' ? given.split('|').filter((one) => one.trim()) : given
    return list(signingSecret).check(secrets)
  },
}

const signingSecret: Kind<string> = {
  name: 'secret',
  emptyMeansAbsent: true,
  parse: reads,
  check: (given) =>
    typeof given === 'string' && hookSecret.test(given.trim())
      ? reads(given.trim())
      : fails('must look like v1,whsec_<base64 of 24 to 64 bytes>'),
}
