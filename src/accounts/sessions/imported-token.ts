import { deriveKey, type RootKey, type RootKeys } from '../../platform/kit/derived-keys.ts'
import { hmacSha256Hex } from '../../platform/kit/digest.ts'

/**
 * The counter of the own token to which every imported one is equivalent: the first of its session.
 */
export const importedCounter = 0

/**
 * The forms of tokens that the other service stored in a row each, the second one until 2022. They
 * contain no data, so they are looked up.
 */
export const isRowToken = (text: string): boolean =>
  /^(?:[a-z0-9]{12}|[A-Za-z0-9_-]{22})$/.test(text)

/**
 * Returns the stored form of an imported token. It is keyed: such a token is short enough to be
 * guessed from a plain hash.
 */
export const hashImportedToken = (root: RootKey, text: string): string =>
  hmacSha256Hex(deriveKey(root, 'imported-token'), text)

/** Returns the forms under which the token may be stored: one hash for each root key. */
export const importedTokenHashes = (roots: RootKeys, text: string): string[] =>
  roots.all.map((root) => hashImportedToken(root, text))
