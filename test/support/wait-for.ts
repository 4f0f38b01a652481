import { vi } from 'vitest'

/** Waits until a check no longer throws, for as long as a busy machine may take: below 10 s, after which `pg` closes idle connections. */
export const waitFor = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 8_000 })
