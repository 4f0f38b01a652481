import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { isRecord } from '../../kit/is-record.ts'
import type { JsonWebKey } from '../sections/tokens.ts'
import { collect } from './lists.ts'
import { fails, isFailure, type Parser, type Reading, reads } from './parser.ts'

/**
 * The keys of access tokens: an array in code, JSON in the environment, either an array or a key
 * set. Each must fit its algorithm, and exactly one must be for signing.
 *
 * @see RFC 7517 §5
 */
export const jsonWebKeys: Parser<readonly JsonWebKey[], readonly JsonWebKey[]> = {
  name: 'JSON',
  emptyMeansAbsent: true,
  parse: (text) => {
    try {
      const json: unknown = JSON.parse(text)
      return reads((isRecord(json) ? json.keys : json) as JsonWebKey[])
    } catch {
      // The parser's message is dropped, since it quotes the text.
      return fails('must be JSON: an array of keys')
    }
  },
  check: (given) => {
    if (!Array.isArray(given) || given.length === 0) return fails('must be an array of keys')
    const keys = collect(given.map(checkJsonWebKey))
    return isFailure(keys) ? keys : checkTogether(keys.value)
  },
}

function checkTogether(keys: readonly JsonWebKey[]): Reading<readonly JsonWebKey[]> {
  const signing = keys.filter((key) => key.key_ops?.includes('sign')).length
  if (signing === 0) return fails('must contain a key with "sign" in its key_ops')
  if (signing > 1)
    return fails(`must contain one key with "sign" in its key_ops, and has ${signing}`)
  const ids = keys.flatMap(({ kid }) => kid ?? [])
  // A token names its key by `kid`, so two keys with one `kid` would be ambiguous.
  return new Set(ids).size === ids.length ? reads(keys) : fails('must not use a kid twice')
}

/** The permitted algorithms of each kind of key; the first is the default. */
const algorithmsByKind: Record<string, readonly string[]> = {
  oct: ['HS256'],
  RSA: ['RS256', 'RS512'],
  'EC P-256': ['ES256'],
  'EC P-521': ['ES512'],
  'OKP Ed25519': ['EdDSA'],
}

const texts = ['kid', 'alg', 'use', 'crv', 'n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi', 'x', 'y', 'k']

/**
 * Checks one key: a supported kind, bound to one algorithm, of sufficient size, with a private half
 * if it is for signing. Drops unused members.
 */
function checkJsonWebKey(given: unknown): Reading<JsonWebKey> {
  if (!isRecord(given)) return fails('must be a JSON Web Key')
  const kind = [given.kty, given.crv].filter((part) => part !== undefined).join(' ')
  const algorithms = Object.hasOwn(algorithmsByKind, kind) ? algorithmsByKind[kind] : undefined
  if (!algorithms) return fails('must be of kind RSA, EC (P-256, P-521), OKP (Ed25519) or oct')

  const jwk = pick(given)
  const { alg = algorithms[0] } = jwk
  const problem = badMember(given) ?? badUse(jwk, alg, algorithms) ?? badMaterial(jwk)
  return problem ? { problems: [problem] } : reads({ ...jwk, alg: alg as string })
}

interface MemberProblem {
  at?: string
  message: string
}

function badMember(given: Record<string, unknown>): MemberProblem | undefined {
  const wrong = texts.find((name) => given[name] !== undefined && typeof given[name] !== 'string')
  if (wrong) return { at: `.${wrong}`, message: 'must be a string' }
  const operations = given.key_ops
  const isList = Array.isArray(operations) && operations.every((one) => typeof one === 'string')
  return operations === undefined || isList
    ? undefined
    : { at: '.key_ops', message: 'must be a list of strings' }
}

/** A key is bound to one algorithm: a token with another one is rejected without verification. */
function badUse(
  jwk: JsonWebKey,
  alg: string | undefined,
  algorithms: readonly string[],
): MemberProblem | undefined {
  if (alg === undefined || !algorithms.includes(alg)) {
    return { at: '.alg', message: `must be ${algorithms.join(' or ')} for a key of this kind` }
  }
  if (jwk.use !== undefined && jwk.use !== 'sig') return { at: '.use', message: 'must be "sig"' }
  const signs = jwk.key_ops?.includes('sign') ?? false
  if (signs && jwk.d === undefined && jwk.k === undefined) {
    return { message: 'must contain its private half, because it is for signing' }
  }
  return undefined
}

function badMaterial(jwk: JsonWebKey): MemberProblem | undefined {
  if (jwk.kty === 'oct') {
    const bytes = Buffer.from(jwk.k ?? '', 'base64url').length
    return bytes >= 32 ? undefined : { at: '.k', message: 'must have at least 32 bytes' }
  }
  const key = importKey(jwk)
  if (!key) return { message: 'must be complete: it cannot be read as a key' }
  const bits = key.asymmetricKeyDetails?.modulusLength
  if (bits !== undefined && bits < 2048)
    return { at: '.n', message: 'must have at least 2048 bits' }
  return undefined
}

function importKey(jwk: JsonWebKey): KeyObject | null {
  try {
    const read = jwk.d === undefined ? createPublicKey : createPrivateKey
    return read({ key: jwk, format: 'jwk' })
  } catch {
    return null
  }
}

function pick(given: Record<string, unknown>): JsonWebKey {
  const members = ['kty', ...texts].filter((name) => given[name] !== undefined)
  const operations = given.key_ops
  return {
    ...Object.fromEntries(members.map((name) => [name, given[name]])),
    ...(Array.isArray(operations) && { key_ops: [...operations] }),
  } as unknown as JsonWebKey
}
