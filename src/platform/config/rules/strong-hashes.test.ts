import { describe, expect, it } from 'vitest'
import { minimal, problemsOf, problemsWith } from '../../../../test/support/config-problems.ts'
import { checkConfig } from '../check-config.ts'
import type { AuthConfig } from '../config.ts'
import { argon2Minimum } from './strong-hashes.ts'

const warningsWith = (changes: object) =>
  checkConfig({ ...minimal, ...changes } as AuthConfig).warnings

describe('S29: the parameters of argon2', () => {
  const hashes = (memoryKib: number, iterations: number) => ({
    passwords: { argon2: { memoryKib, iterations, parallelism: 1 } },
  })
  const path = 'passwords.argon2.memoryKib'

  it.each(argon2Minimum)('may be $memoryKib KiB with $iterations', ({ memoryKib, iterations }) => {
    const given = { ...minimal, ...hashes(memoryKib, iterations) }
    expect(problemsOf(given, { production: true })).toEqual({})
    expect(warningsWith(hashes(memoryKib, iterations))).toEqual([])
  })

  it.each(argon2Minimum)('below $memoryKib KiB with $iterations are weak', (least) => {
    const { memoryKib, iterations } = least
    const weak = hashes(memoryKib - 1, iterations)
    expect(problemsOf({ ...minimal, ...weak }, { production: true })).toHaveProperty([path])
    expect(problemsWith(weak)).toEqual({})
    expect(warningsWith(weak).join()).toContain(path)
  })
})
