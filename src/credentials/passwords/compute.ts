import { pbkdf2, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { createGate } from './gate.ts'
import type { HashAddons } from './hash-addons.ts'

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

type AsyncComputations = {
  [Name in keyof Computations]: (
    ...args: Parameters<Computations[Name]>
  ) => Promise<ReturnType<Computations[Name]>>
}

const computationsOf = ({ argon2, bcrypt }: HashAddons): AsyncComputations => ({
  makeArgon2: (...args) => argon2.hash(...args),
  verifyArgon2: (...args) => argon2.verify(...args),
  verifyBcrypt: (...args) => bcrypt.verify(...args),
  deriveScryptKey: promisify(scrypt) as AsyncComputations['deriveScryptKey'],
  derivePbkdf2Key: promisify(pbkdf2),
})

/**
 * Computes on the thread pool of Node, which also reads files, and leaves two of its four threads
 * to the host.
 */
export function computeInProcess(addons: HashAddons) {
  const computations = computationsOf(addons)
  const gate = createGate({ width: 2, maxWaiting: Infinity, maxWaitMs: 2 ** 31 - 1 })
  return (name: keyof Computations, args: unknown[]): Promise<Computed<unknown>> =>
    gate(async () => {
      const compute = computations[name] as (...given: unknown[]) => Promise<unknown>
      const startedAt = performance.now()
      const value = await compute(...args)
      return { value, ms: performance.now() - startedAt }
    })
}
