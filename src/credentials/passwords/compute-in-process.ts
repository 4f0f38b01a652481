import { pbkdf2, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { hash, verify as verifyArgon2 } from '@node-rs/argon2'
import { verify as verifyBcrypt } from '@node-rs/bcrypt'
import type { Computations, Computed } from './compute.ts'
import { createGate } from './gate.ts'

type Elsewhere = {
  [Name in keyof Computations]: (
    ...args: Parameters<Computations[Name]>
  ) => Promise<ReturnType<Computations[Name]>>
}

const computations: Elsewhere = {
  makeArgon2: (...args) => hash(...args),
  verifyArgon2: (...args) => verifyArgon2(...args),
  verifyBcrypt: (...args) => verifyBcrypt(...args),
  deriveScryptKey: promisify(scrypt) as Elsewhere['deriveScryptKey'],
  derivePbkdf2Key: promisify(pbkdf2),
}

/**
 * Computes on the thread pool of Node, which also reads files, and leaves two of its four threads
 * to the host.
 */
export function computeInProcess() {
  const gate = createGate({ width: 2, maxWaiting: Infinity, maxWaitMs: 2 ** 31 - 1 })
  return (name: keyof Computations, args: unknown[]): Promise<Computed<unknown>> =>
    gate(async () => {
      const compute = computations[name] as (...given: unknown[]) => Promise<unknown>
      const startedAt = performance.now()
      const value = await compute(...args)
      return { value, ms: performance.now() - startedAt }
    })
}
