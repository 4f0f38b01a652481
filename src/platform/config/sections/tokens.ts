import type { Seconds } from './values.ts'

/**
 * A key as JSON.
 *
 * @see RFC 7517 §4
 */
export type JsonWebKey = {
  kty: 'RSA' | 'EC' | 'OKP' | 'oct'
  kid?: string
  /** The one algorithm that the key is used with. Told from kind and curve when left out. */
  alg?: string
  use?: string
  /** The key that signs names `sign` here. */
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

/** Algorithms of the keys that Latchkey makes itself. */
export type ManagedAlgorithm = 'RS256' | 'ES256' | 'EdDSA'

/**
 * Access tokens: what signs them and what they claim.
 *
 * The key marked for signing in `keys` signs; without `keys`, `secret` does (HS256); with neither,
 * Latchkey makes keys, stores them encrypted with `encryptionKey` and rotates them.
 */
export interface JwtConfig {
  /**
   * At least 32 bytes. Several, as an array or separated by commas, make a rotation: the first signs,
   * all verify.
   */
  secret?: string | readonly string[] | undefined
  /** RSA, EC (P-256, P-521), OKP (Ed25519) and `oct` keys; exactly one of them signs. */
  keys?: readonly JsonWebKey[] | undefined
  /** `kid` in the header of tokens that `secret` signs. */
  keyId?: string | undefined
  /** Default 3600. */
  lifetimeSeconds?: Seconds | undefined
  /** `aud` of users who have none of their own. Default `authenticated`. */
  audience?: string | undefined
  /**
   * Audiences beside `audience` that people may sign up for, by the header `X-JWT-AUD`. One that a user has
   * already needs no mention. Default none.
   */
  signUpAudiences?: readonly string[] | undefined
  /** `iss`; the claim is absent when this is left out. */
  issuer?: string | undefined
  /**
   * Roles that open the admin endpoints: of a user as stored, of a token without a user as it says.
   * Default `service_role`, `svc_admin`, `supabase_admin`.
   */
  adminRoles?: readonly string[] | undefined
  /** `role` of new users. Default `authenticated`. */
  defaultRole?: string | undefined
  /** Of the keys that Latchkey makes. Default `RS256`. */
  algorithm?: ManagedAlgorithm | undefined
  /** When keys that Latchkey made are replaced. */
  rotation?:
    | {
        /** How long one signs. Default 30 days. */
        intervalSeconds?: Seconds | undefined
        /** How long one is published before it signs. Default one hour. */
        overlapSeconds?: Seconds | undefined
      }
    | undefined
}

export interface ResolvedJwt {
  rotation: { intervalSeconds: number; overlapSeconds: number }
  /** The first signs, all verify. */
  secrets: readonly string[]
  /** Checked: usable, each with its `alg`, exactly one for signing. */
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

/** How long a session lasts. By default it has no limit but that somebody renews it. */
export interface SessionsConfig {
  /** From sign-in to the end, however often it is renewed. Default: no limit. */
  timeboxSeconds?: Seconds | undefined
  /** Longest time between two refreshes. Default: no limit. */
  inactivityTimeoutSeconds?: Seconds | undefined
  /** How long it may stay at `aal1` where the user has a verified second factor. Default: no limit. */
  allowLowAalSeconds?: Seconds | undefined
  /** Live sessions of one user at most: a sign-in beyond them ends the least recently used one. Default 200. */
  maxPerUser?: number | undefined
  /** Only the session of a user that was used last can be renewed. Default false. */
  singlePerUser?: boolean | undefined
  /** Kinds of session, of each of which a user may have one. The first is the usual one. */
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
