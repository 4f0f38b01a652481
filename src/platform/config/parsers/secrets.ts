import { createPrivateKey } from 'node:crypto'
import { collect, list } from './lists.ts'
import { fails, isFailure, type Parser, type Reading, reads } from './parser.ts'

/** The length of the digest that the secret keys. @see RFC 7518 §3.2 */
const minBytes = 32

/**
 * One or more secrets: the first signs or encrypts, all verify or decrypt. A string is split at
 * commas, in code as in the environment, so that the same variable works in both.
 */
export const rotatingSecrets: Parser<readonly string[], string | readonly string[]> = {
  name: 'secrets',
  emptyMeansAbsent: true,
  parse: reads,
  check: (given) => {
    const secrets = typeof given === 'string' ? given.split(/\s*,\s*/).filter(Boolean) : given
    if (!Array.isArray(secrets) || secrets.length === 0)
      return fails('must be a string, or several')
    const readings = secrets.map(checkLength)
    const [first, ...more] = readings
    if (more.length === 0 && first && isFailure(first)) return first
    return collect(readings)
  },
}

function checkLength(secret: unknown): Reading<string> {
  if (typeof secret !== 'string') return fails('must be a string')
  const length = Buffer.byteLength(secret)
  return length >= minBytes
    ? reads(secret)
    : fails(`must have at least ${minBytes} bytes, and has ${length}`)
}

const hookSecret =
  /^(?:v1,whsec_[A-Za-z0-9+/=]{32,88}|v1a,whpk_[A-Za-z0-9+/=]{44,}:whsk_[A-Za-z0-9+/=]{44,})$/

/** Secrets of Standard Webhooks, separated by `|` because each contains a comma. */
export const hookSecrets: Parser<readonly string[], string | readonly string[]> = {
  name: 'secrets',
  emptyMeansAbsent: true,
  parse: reads,
  check: (given) => {
    const secrets = typeof given === 'string' ? given.split('|').filter((one) => one.trim()) : given
    return list(signingSecret).check(secrets)
  },
}

const signingSecret: Parser<string> = {
  name: 'secret',
  emptyMeansAbsent: true,
  parse: reads,
  check: (given) =>
    typeof given === 'string' && hookSecret.test(given.trim())
      ? reads(given.trim())
      : fails('must look like v1,whsec_<base64 of 24 to 64 bytes>'),
}

/**
 * A private key for ES256, as PEM of PKCS #8. In an environment, line breaks may be written as
 * `\n`.
 */
export const privateKeyPem: Parser<string, string> = {
  name: 'PEM',
  emptyMeansAbsent: true,
  parse: reads,
  check: (given) => {
    const pem = typeof given === 'string' ? `${given.replaceAll('\\n', '\n').trim()}\n` : ''
    return isKeyForEs256(pem)
      ? reads(pem)
      : fails('must be a private key on the curve P-256: the text of a .p8 file, from BEGIN to END')
  },
}

function isKeyForEs256(pem: string): boolean {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem)
    return asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1'
  } catch {
    return false
  }
}
