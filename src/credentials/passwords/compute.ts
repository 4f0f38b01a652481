type Argon2 = typeof import('@node-rs/argon2')
type Bcrypt = typeof import('@node-rs/bcrypt')
type Crypto = typeof import('node:crypto')

/** Computations that would block their thread for a noticeable time. */
export interface Computations {
  makeArgon2: Argon2['hashSync']
  verifyArgon2: Argon2['verifySync']
  verifyBcrypt: Bcrypt['verifySync']
  deriveScryptKey: (...args: Parameters<Crypto['scryptSync']>) => DerivedKey
  derivePbkdf2Key: (...args: Parameters<Crypto['pbkdf2Sync']>) => DerivedKey
}

/** A buffer after its transfer between threads. */
type DerivedKey = Uint8Array

/** The result of a computation. */
export interface Computed<T> {
  value: T
  /** The duration, without the time in the queue. */
  ms: number
}

/**
 * Computes without blocking the main thread.
 *
 * @throws AuthError `service_unavailable` (503) when the queue is full or the wait too long;
 *   otherwise the exception of the computation.
 */
export type Compute = <Name extends keyof Computations>(
  name: Name,
  ...args: Parameters<Computations[Name]>
) => Promise<Computed<ReturnType<Computations[Name]>>>
