import { pbkdf2, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import type { Computations, Computed } from './compute.ts'
import { createGate } from './gate.ts'
import type { HashAddons } from './hash-addons.ts'

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
