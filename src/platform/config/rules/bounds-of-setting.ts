import type { Config } from '../config.ts'

/** The bounds of a security setting. */
export interface Bounds {
  path: string
  /** Returns null if the setting is absent. */
  value(config: Config): number | null
  unit: 'seconds' | 'factors' | 'passkeys' | 'sessions' | 'bytes'
  /** Larger values are rejected. */
  ceiling: number
  /** Larger values cause a warning at start. */
  unusual: number
  source: string
}
