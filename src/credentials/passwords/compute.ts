type Argon2 = typeof import('@node-rs/argon2')
type Bcrypt = typeof import('@node-rs/bcrypt')
type Crypto = typeof import('node:crypto')

/** What takes long enough to hold up whoever waits for its thread. */
export interface Computations {
  makeArgon2: Argon2['hashSync']
  verifyArgon2: Argon2['verifySync']
  verifyBcrypt: Bcrypt['verifySync']
  deriveScryptKey: (...args: Parameters<Crypto['scryptSync']>) => DerivedKey
  derivePbkdf2Key: (...args: Parameters<Crypto['pbkdf2Sync']>) => DerivedKey
}

/** A buffer, as it is once it was handed from thread to thread. */
type DerivedKey = Uint8Array

/** What came of a computation. */
export interface Computed<T> {
  value: T
  /** How long it took, without what it waited before. */
  ms: number
}

/**
 * Computes where it holds up nobody.
 *
 * @throws AuthError `service_unavailable` (503) when too many wait already, or this one did for too long;
 *   else what the computation throws.
 */
export type Compute = <Name extends keyof Computations>(
  name: Name,
  ...args: Parameters<Computations[Name]>
) => Promise<Computed<ReturnType<Computations[Name]>>>
