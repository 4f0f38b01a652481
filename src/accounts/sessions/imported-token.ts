import { deriveKey, type RootKey, type RootKeys } from '../../platform/kit/derived-keys.ts'
import { hmacSha256Hex } from '../../platform/kit/digest.ts'

/** The counter of our own token that every imported one stands for: the first of its session. */
export const importedCounter = 0

/**
 * The forms of tokens that the other service kept a row for, the second one until 2022: nothing can be
 * told from them, so they are looked up.
 */
export const isRowToken = (text: string): boolean =>
  /^(?:[a-z0-9]{12}|[A-Za-z0-9_-]{22})$/.test(text)

/**
 * What is stored of an imported token. Such a token is short enough to be guessed from a plain hash,
 * hence the key.
 */
export const hashImportedToken = (root: RootKey, text: string): string =>
  hmacSha256Hex(deriveKey(root, 'imported-token'), text)

/** What may be stored of it: one hash for each root. */
export const importedTokenHashes = (roots: RootKeys, text: string): string[] =>
  roots.all.map((root) => hashImportedToken(root, text))
