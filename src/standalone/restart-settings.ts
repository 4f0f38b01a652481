import { isDeepStrictEqual } from 'node:util'
import type { AuthConfig } from '../platform/config/auth-config.ts'
import { setAt, valueAt } from '../platform/config/paths.ts'
import type { Setting } from '../platform/config/setting.ts'
import { settings } from '../platform/config/settings.ts'

const madeOnce = /^(database|telemetry)\.|^rateLimits\.store$|^background\.frozenBetweenRequests$/

/** What is made once in a process: where it listens, its log, its database, its counts and its exporters. */
const needsRestart = ({ serverOnly, path }: Setting): boolean => serverOnly || madeOnce.test(path)

export interface Changes {
  /** The next configuration, save that what needs a restart is as it was. */
  config: AuthConfig
  /** Paths of what changes. */
  changed: string[]
  /** Paths of what would change, and needs a restart for it. */
  kept: string[]
}

/** What another configuration, of an environment like the first, changes in a running service. */
export function changesBetween(current: AuthConfig, next: AuthConfig): Changes {
  const different = settings.filter(
    ({ path }) => !isDeepStrictEqual(valueAt(current, path), valueAt(next, path)),
  )
  const kept = different.filter(needsRestart)
  const config: AuthConfig & Record<string, unknown> = structuredClone({ ...next })
  for (const { path } of kept) setAt(config, path, valueAt(current, path))
  return {
    config,
    changed: different.filter((setting) => !needsRestart(setting)).map(({ path }) => path),
    kept: kept.map(({ path }) => path),
  }
}
