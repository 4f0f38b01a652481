import type { Config } from '../config.ts'
import type { Rule } from './rule.ts'

const messageFor = (path: string): string =>
  `is long but easy to guess, so that an attacker could ${
    path.startsWith('hooks.') ? 'send calls of the hook' : 'sign tokens'
  }: generate one with \`openssl rand -base64 32\``

/** Rejects guessable secrets in production; elsewhere they cause a warning. */
export const rejectGuessableSecrets =
  (production: boolean): Rule =>
  ({ config, report }) => {
    for (const [path, secrets] of Object.entries(secretsIn(config))) {
      if (!secrets.some(isGuessable)) continue
      if (production) report.problem(path, messageFor(path))
      else report.warn(path, messageFor(path))
    }
  }

/** Returns the secrets that sign and encrypt, by the path of their setting. */
function secretsIn({
  encryptionKeys,
  jwt,
  hooks,
}: Config): Readonly<Record<string, readonly string[]>> {
  const shared = (jwt.keys ?? []).flatMap(({ k }) =>
    k === undefined ? [] : [decode(k, 'base64url')],
  )
  const ofHooks = Object.entries(hooks).map(([point, { secrets }]) => [
    `hooks.${point}.secrets`,
    secrets.map(keyOf),
  ])
  return {
    encryptionKey: encryptionKeys,
    'jwt.secret': jwt.secrets,
    'jwt.keys': shared,
    ...Object.fromEntries(ofHooks),
  }
}

/** Returns a shared secret itself; of a key pair the private half. */
const keyOf = (secret: string): string =>
  decode(secret.slice(secret.lastIndexOf('_') + 1), 'base64')

const decode = (text: string, encoding: 'base64' | 'base64url'): string =>
  Buffer.from(text, encoding).toString('latin1')

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

/**
 * A placeholder that a shell or template did not replace, to its end: two characters such as `${`
 * occur in one of 140 random keys.
 */
const unfilled = /\$\{[a-z_]\w{2,}[^{}]*\}|\$\([a-z][^()]{3,}\)|\{\{[^{}]{3,}\}\}|^<[ -~]{3,}>$/i

const publicPem = /-----BEGIN [A-Z ]*(?:PUBLIC KEY|CERTIFICATE)-----/

/** Random-looking secrets of published examples. */
const published = /37c304f8-51aa-419a-a1af-06154e63707a|f023d3db-39dc-4ac9-87b2-b2be72e9162b/i

/**
 * Reports whether a secret has few distinct characters, repeats a part, or contains published text.
 */
function isGuessable(secret: string): boolean {
  const known = [placeholder, unfilled, publicPem, published]
  if (new Set(secret).size < minDistinct || known.some((form) => form.test(secret))) return true
  const half = Math.floor(secret.length / 2)
  const shifts = Array.from({ length: half }, (_, index) => index + 1)
  return shifts.some((shift) => secret.startsWith(secret.slice(shift)))
}
