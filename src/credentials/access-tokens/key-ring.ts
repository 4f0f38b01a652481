import type { JsonWebKey } from 'node:crypto'
import { jwsSigner } from '../../platform/kit/jws.ts'
import { jwkTokenKey, secretTokenKey, type TokenKey } from './token-key.ts'
import { createVerifiedTokenCache, type VerifiedTokenCache } from './verified-token-cache.ts'

/** The keys that sign and verify access tokens. */
export interface KeyRing {
  /** Signs a token, whose header names the key. */
  sign(claims: object): Promise<string>
  /** The keys that a token whose header holds this `kid` and `alg` may be verified with. */
  findForVerification(kid: unknown, alg: unknown): readonly TokenKey[]
  /**
   * Looks whether another instance has made keys that this one does not know.
   *
   * @returns whether it looked: never for configured keys, and not again within a few seconds.
   */
  refresh(): Promise<boolean>
  /** Resolves where every key that is stored can be read; configured ones always can. */
  requireReadable(): Promise<void>
  /** The public keys that others verify our tokens with. */
  published(): readonly JsonWebKey[]
  /** Tokens that one of these keys was found to have signed. */
  memory(): VerifiedTokenCache
}

/** Where configured keys come from. */
export interface ConfiguredKeys {
  secrets: readonly string[]
  keys: readonly JsonWebKey[] | null
  keyId: string | null
}

/** @param signer the one of `keys` that signs; its private half must be there. */
export function createKeyRing(keys: readonly TokenKey[], signer: TokenKey): KeyRing {
  const { id, signing } = signer
  if (!signing) throw new Error('the signing key has no private half')
  const header = { typ: 'JWT', ...(id !== null && { kid: id }) }
  const byId = new Map(keys.flatMap((key) => (key.id === null ? [] : [[key.id, key]])))
  const memory = createVerifiedTokenCache()
  const isFor = (alg: unknown) => (key: TokenKey) => key.verification.algorithm === alg
  return {
    sign: jwsSigner(signing, header),
    findForVerification: (kid, alg) => {
      const named = byId.get(kid as string)
      if (named) return [named].filter(isFor(alg))
      // Shared secrets are tried whatever `kid` says: older tokens name none, or one long gone.
      return keys.filter((key) => key.publicJwk === null && isFor(alg)(key))
    },
    refresh: async () => false,
    requireReadable: async () => {},
    published: () => keys.map((key) => key.publicJwk).filter((jwk) => jwk !== null),
    memory: () => memory,
  }
}

/**
 * The ring of the configured keys; null when none is configured and Latchkey makes its own. Among
 * JSON Web Keys the one whose `key_ops` contain `sign` signs; all of them, and every secret, verify.
 */
export function configuredKeyRing({ secrets, keys, keyId }: ConfiguredKeys): KeyRing | null {
  const shared = secrets.map((secret, index) => secretTokenKey(secret, index === 0 ? keyId : null))
  const signingJwk = keys?.find((jwk) => (jwk['key_ops'] as string[] | undefined)?.includes('sign'))
  if (!keys || !signingJwk) return shared[0] ? createKeyRing(shared, shared[0]) : null
  const signing = jwkTokenKey(signingJwk)
  const others = keys.filter((jwk) => jwk !== signingJwk).map(jwkTokenKey)
  return createKeyRing([signing, ...others, ...shared], signing)
}
