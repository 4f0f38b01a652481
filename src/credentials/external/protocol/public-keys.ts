import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import type { JsonReader } from '../../../platform/config/sections/provider-definition.ts'
import type { ForeignJwsAlgorithm } from '../../../platform/kit/jws.ts'

interface KeyWanted {
  kid: string | null
  algorithm: ForeignJwsAlgorithm
  isIssuer?(named: string): boolean
}

/** The number of keys of a set that are read. */
const maxKeysOfSet = 100
/**
 * The number of keys that may have signed one token. Each takes a few milliseconds of the event
 * loop. An issuer with several keys names the right one.
 *
 * @see OpenID Connect Core 1.0 §10.1
 */
const maxTriedKeys = 8
const maxParsedKeys = 500

/** The members of a public key. @see RFC 7638 §3.2 */
const publicMembers = ['kty', 'crv', 'n', 'e', 'x', 'y']

/**
 * Creates a reader of key sets, which parses each key once.
 *
 * It returns the first keys of a set for signatures with the algorithm, and of its type. Entries
 * that are no valid key are skipped.
 *
 * @see RFC 7517 §5
 */
export function publicKeyReader(): (keySet: JsonReader, wanted: KeyWanted) => KeyObject[] {
  const parsed = new Map<string, KeyObject | null>()

  function parse(jwk: JsonReader): KeyObject | null {
    const members = publicMembers
      .map((name) => [name, jwk.value(name)])
      .filter(([, value]) => typeof value === 'string')
    const text = JSON.stringify(members)
    const known = parsed.get(text)
    if (known !== undefined) return known
    const key = toPublicKey(Object.fromEntries(members))
    if (parsed.size >= maxParsedKeys) parsed.clear()
    parsed.set(text, key)
    return key
  }

  return (keySet, { kid, algorithm, isIssuer }) => {
    const found: KeyObject[] = []
    for (const jwk of keySet.list('keys').slice(0, maxKeysOfSet)) {
      const isMeant = (kid === null || jwk.value('kid') === kid) && isFor(jwk, algorithm)
      const key = isMeant && isKeyOf(jwk, isIssuer) ? parse(jwk) : null
      if (key && fits(key, algorithm)) found.push(key)
      if (found.length === maxTriedKeys) break
    }
    return found
  }
}

/** Compares the issuer of a key. A set of several issuers may contain one for each key. */
function isKeyOf(jwk: JsonReader, isIssuer: KeyWanted['isIssuer']): boolean {
  const named = jwk.value('issuer')
  if (named === undefined || isIssuer === undefined) return true
  return typeof named === 'string' && isIssuer(named)
}

/** @see RFC 7517 §4.2–4.4 */
function isFor(jwk: JsonReader, algorithm: ForeignJwsAlgorithm): boolean {
  const [use, operations, named] = ['use', 'key_ops', 'alg'].map((name) => jwk.value(name))
  return (
    (use === undefined || use === 'sig') &&
    (operations === undefined || (Array.isArray(operations) && operations.includes('verify'))) &&
    (named === undefined || named === algorithm)
  )
}

function toPublicKey(jwk: JsonWebKey): KeyObject | null {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' })
  } catch {
    return null
  }
}

const curves: Partial<Record<ForeignJwsAlgorithm, string>> = {
  ES256: 'prime256v1',
  ES384: 'secp384r1',
  ES512: 'secp521r1',
}

/**
 * Returns whether a key is of the algorithm's type, and neither too weak nor so large that it is
 * slow.
 */
function fits(key: KeyObject, algorithm: ForeignJwsAlgorithm): boolean {
  const { namedCurve, modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {}
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return (
        /^[RP]S/.test(algorithm) &&
        modulusLength >= 2048 &&
        modulusLength <= 8192 &&
        // A verification takes as many steps as the exponent has bits. @see NIST SP 800-56B §6.2
        publicExponent < 2n ** 32n
      )
    case 'ec':
      return namedCurve !== undefined && namedCurve === curves[algorithm]
    case 'ed25519':
      return algorithm === 'EdDSA'
    default:
      return false
  }
}
