import type { Seconds } from './values.ts'

/**
 * A key as JSON.
 *
 * @see RFC 7517 §4
 */
export type JsonWebKey = {
  kty: 'RSA' | 'EC' | 'OKP' | 'oct'
  kid?: string
  /** The only algorithm of the key. Default: derived from kind and curve. */
  alg?: string
  use?: string
  /** The signing key contains `sign`. */
  key_ops?: readonly string[]
  crv?: string
  n?: string
  e?: string
  d?: string
  p?: string
  q?: string
  dp?: string
  dq?: string
  qi?: string
  x?: string
  y?: string
  k?: string
}

/** Algorithms of the keys that Latchkey generates. */
export type ManagedAlgorithm = 'RS256' | 'ES256' | 'EdDSA'

/**
 * Access tokens: their signing keys and claims.
 *
 * The key marked for signing in `keys` signs; without `keys`, `secret` does (HS256); without both,
 * Latchkey generates keys, stores them encrypted with `encryptionKey` and rotates them.
 */
export interface JwtConfig {
  /**
   * At least 32 bytes. Several, as an array or separated by commas, form a rotation: the first
   * signs, all verify.
   */
  secret?: string | readonly string[] | undefined
  /** RSA, EC (P-256, P-521), OKP (Ed25519) and `oct` keys; exactly one of them signs. */
  keys?: readonly JsonWebKey[] | undefined
  /** `kid` in the header of tokens that `secret` signs. */
  keyId?: string | undefined
  /** Default 3600. */
  lifetimeSeconds?: Seconds | undefined
  /** `aud` of users without an audience of their own. Default `authenticated`. */
  audience?: string | undefined
  /**
   * Further audiences for sign-up, requested by the header `X-JWT-AUD`. Audiences of existing users
   * need not be listed. Default none.
   */
  signUpAudiences?: readonly string[] | undefined
  /** `iss`; absent by default. */
  issuer?: string | undefined
  /**
   * Roles with access to the admin endpoints: the stored role of a user, or the claim of a token
   * without a user. Default `service_role`, `svc_admin`, `supabase_admin`.
   */
  adminRoles?: readonly string[] | undefined
  /** `role` of new users. Default `authenticated`. */
  defaultRole?: string | undefined
  /** The algorithm of generated keys. Default `RS256`. */
  algorithm?: ManagedAlgorithm | undefined
  /** The rotation of generated keys. */
  rotation?:
    | {
        /** How long a key signs. Default 30 days. */
        intervalSeconds?: Seconds | undefined
        /** How long a key is published before it signs. Default one hour. */
        overlapSeconds?: Seconds | undefined
      }
    | undefined
}

export interface ResolvedJwt {
  rotation: { intervalSeconds: number; overlapSeconds: number }
  /** The first signs, all verify. */
  secrets: readonly string[]
  /** Validated keys, each with its `alg`, exactly one for signing. */
  keys: readonly JsonWebKey[] | null
  keyId: string | null
  lifetimeSeconds: number
  audience: string
  signUpAudiences: readonly string[]
  issuer: string | null
  adminRoles: readonly string[]
  defaultRole: string
  algorithm: ManagedAlgorithm
}

/** The lifetime of a session. Default: unlimited while it is renewed. */
export interface SessionsConfig {
  /** The time from sign-in to the end, however often it is renewed. Default: no limit. */
  timeboxSeconds?: Seconds | undefined
  /** The longest time between two refreshes. Default: no limit. */
  inactivityTimeoutSeconds?: Seconds | undefined
  /**
   * How long a session may stay at `aal1` if the user has a verified second factor. Default: no
   * limit.
   */
  allowLowAalSeconds?: Seconds | undefined
  /**
   * The maximum of live sessions of one user: a further sign-in ends the least recently used one.
   * Default 200.
   */
  maxPerUser?: number | undefined
  /** Only the most recently used session of a user can be renewed. Default false. */
  singlePerUser?: boolean | undefined
  /** Kinds of session; a user may have one of each. The first is the default. */
  tags?: readonly string[] | undefined
}

export interface ResolvedSessions {
  tags: readonly string[]
  timeboxSeconds: number | null
  inactivityTimeoutSeconds: number | null
  allowLowAalSeconds: number | null
  maxPerUser: number
  singlePerUser: boolean
}
