import { vi } from 'vitest'

/**
 * Waits until a check no longer throws. The time limit suits a busy machine, and is below the 10 s
 * after which `pg` closes idle connections.
 */
export const waitFor = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 8_000 })
