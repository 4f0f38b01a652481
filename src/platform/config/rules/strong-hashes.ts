import type { Rule } from './rule.ts'

/** OWASP's minimum: fewer passes need more memory. @see OWASP Password Storage Cheat Sheet */
export const argon2Minimum: readonly { memoryKib: number; iterations: number }[] = [
  { memoryKib: 47_104, iterations: 1 },
  { memoryKib: 19_456, iterations: 2 },
  { memoryKib: 12_288, iterations: 3 },
  { memoryKib: 9_216, iterations: 4 },
  { memoryKib: 7_168, iterations: 5 },
]

/**
 * Rejects weak password hashes in production. Elsewhere they cause a warning, since test suites
 * need fast ones.
 */
export const requireStrongHashes =
  (production: boolean): Rule =>
  ({ config, report }) => {
    const { memoryKib, iterations } = config.passwords.argon2
    const isStrong = argon2Minimum.some(
      (least) => memoryKib >= least.memoryKib && iterations >= least.iterations,
    )
    if (isStrong) return
    const path = 'passwords.argon2.memoryKib'
    const message = `is too little with ${iterations} iterations: OWASP requires 19456 KiB with 2, or 47104 KiB with 1`
    if (production) report.problem(path, message)
    else if (!config.development) report.warn(path, `${message}; production rejects it`)
  }
