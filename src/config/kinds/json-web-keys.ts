import { isRecord } from '../../kit/is-record.ts'
import type { JsonWebKey } from '../sections/tokens.ts'
import { warnOfGuessable } from './guessable.ts'
import { checkJsonWebKey } from './json-web-key.ts'
import { fails, isFailure, type Kind, type Reading, reads } from './kind.ts'
import { collect } from './lists.ts'

/**
 * The keys of access tokens: in code an array, in the environment JSON, an array or a key set. Each
 * must be fit for its algorithm, and exactly one be meant for signing.
 *
 * @see RFC 7517 §5
 */
export const jsonWebKeys: Kind<readonly JsonWebKey[], readonly JsonWebKey[]> = {
  name: 'JSON',
  emptyMeansAbsent: true,
  parse: (text) => {
    try {
      const json: unknown = JSON.parse(text)
      return reads((isRecord(json) ? json.keys : json) as JsonWebKey[])
    } catch {
      // The parser's own message would quote the text.
      return fails('must be JSON: an array of keys')
    }
  },
  check: (given) => {
    if (!Array.isArray(given) || given.length === 0) return fails('must be an array of keys')
    const keys = collect(given.map(checkJsonWebKey))
    return isFailure(keys) ? keys : warnOfGuessable(checkTogether(keys.value), sharedSecretsIn)
  },
}

const sharedSecretsIn = (keys: readonly JsonWebKey[]) =>
  keys.flatMap(({ k }) => (k === undefined ? [] : [Buffer.from(k, 'base64url').toString('latin1')]))

function checkTogether(keys: readonly JsonWebKey[]): Reading<readonly JsonWebKey[]> {
  const signing = keys.filter((key) => key.key_ops?.includes('sign')).length
  if (signing === 0) return fails('must hold a key with "sign" in its key_ops')
  if (signing > 1) return fails(`must hold one key with "sign" in its key_ops, and has ${signing}`)
  const ids = keys.flatMap(({ kid }) => kid ?? [])
  // A token names its key by this, so two of one name would leave the choice to chance.
  return new Set(ids).size === ids.length ? reads(keys) : fails('must not use a kid twice')
}
