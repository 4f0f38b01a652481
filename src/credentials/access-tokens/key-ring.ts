import type { JsonWebKey } from 'node:crypto'
import { type JwsAlgorithm, type JwsSigner, jwsSigner } from '../../platform/kit/jws.ts'
import { jwkTokenKey, secretTokenKey, type TokenKey } from './token-key.ts'
import { createVerifiedTokenCache, type VerifiedTokenCache } from './verified-token-cache.ts'

/** The `typ` in the header of a token. @see RFC 8725 §3.11 */
export type TokenType = 'JWT' | 'at+jwt' | 'logout+jwt'

/** The keys that sign and verify access tokens. */
export interface KeyRing {
  /** Signs a token. Its header contains the id of the key and the type, by default `JWT`. */
  sign(claims: object, type?: TokenType): Promise<string>
  /** The algorithm of the key that signs. */
  algorithm(): JwsAlgorithm
  /** Returns the keys that may verify a token with this `kid` and `alg` in its header. */
  findForVerification(kid: unknown, alg: unknown): readonly TokenKey[]
  /**
   * Reloads keys that other instances may have created.
   *
   * @returns whether it reloaded: never for configured keys, and at most once in a few seconds.
   */
  refresh(): Promise<boolean>
  /** Resolves when every stored key can be read. Always resolves for configured keys. */
  requireReadable(): Promise<void>
  /**
   * The public keys that other services verify our tokens with: the same list until they change.
   */
  published(): readonly JsonWebKey[]
  /** The cache of tokens that these keys have verified. */
  memory(): VerifiedTokenCache
}

/** The configuration of the keys. */
export interface ConfiguredKeys {
  secrets: readonly string[]
  keys: readonly JsonWebKey[] | null
  keyId: string | null
}

/** @param signer the one of `keys` that signs. It must contain the private key. */
export function createKeyRing(keys: readonly TokenKey[], signer: TokenKey): KeyRing {
  const { id, signing } = signer
  if (!signing) throw new Error('the signing key has no private half')
  const signers = new Map<TokenType, JwsSigner>()
  const signerOf = (type: TokenType): JwsSigner => {
    const known = signers.get(type)
    if (known) return known
    const made = jwsSigner(signing, { typ: type, ...(id !== null && { kid: id }) })
    signers.set(type, made)
    return made
  }
  const byId = new Map(keys.flatMap((key) => (key.id === null ? [] : [[key.id, key]])))
  const memory = createVerifiedTokenCache()
  const published = keys.map((key) => key.publicJwk).filter((jwk) => jwk !== null)
  const isFor = (alg: unknown) => (key: TokenKey) => key.verification.algorithm === alg
  return {
    sign: (claims, type = 'JWT') => signerOf(type)(claims),
    algorithm: () => signing.algorithm,
    findForVerification: (kid, alg) => {
      const named = byId.get(kid as string)
      if (named) return [named].filter(isFor(alg))
      // Shared secrets are tried for any `kid`: older tokens have none, or that of a removed
      // secret.
      return keys.filter((key) => key.publicJwk === null && isFor(alg)(key))
    },
    refresh: async () => false,
    requireReadable: async () => {},
    published: () => published,
    memory: () => memory,
  }
}

/**
 * Returns the ring of the configured keys; null when none is configured, so that Latchkey manages
 * its own. The JSON Web Key whose `key_ops` contain `sign` signs; all keys and secrets verify.
 */
export function configuredKeyRing({ secrets, keys, keyId }: ConfiguredKeys): KeyRing | null {
  const shared = secrets.map((secret, index) => secretTokenKey(secret, index === 0 ? keyId : null))
  const signingJwk = keys?.find((jwk) => (jwk['key_ops'] as string[] | undefined)?.includes('sign'))
  if (!keys || !signingJwk) return shared[0] ? createKeyRing(shared, shared[0]) : null
  const signing = jwkTokenKey(signingJwk)
  const others = keys.filter((jwk) => jwk !== signingJwk).map(jwkTokenKey)
  return createKeyRing([signing, ...others, ...shared], signing)
}
