import { isDeepStrictEqual } from 'node:util'
import type { AuthConfig } from '../platform/config/auth-config.ts'
import { setAt, valueAt } from '../platform/config/paths.ts'
import type { Setting } from '../platform/config/setting.ts'
import { settings } from '../platform/config/settings.ts'

const madeOnce =
  /^(database|telemetry)\.|^rateLimits\.(store|redisUrl)$|^background\.frozenBetweenRequests$/

/**
 * Reports whether a setting is used once per process: for its address, log, database, counters or
 * exporters.
 */
const isUsedOnce = ({ serverOnly, path }: Setting): boolean => serverOnly || madeOnce.test(path)

export interface Changes {
  /** The next configuration, with the present values of settings that need a restart. */
  config: AuthConfig
  /** Paths of the changed settings. */
  changed: string[]
  /** Paths of settings that differ and need a restart. */
  kept: string[]
}

/**
 * Compares the configuration of a running service with the next one.
 *
 * @param isKept reports by its path whether a setting needs a restart.
 */
export function changesBetween(
  current: AuthConfig,
  next: AuthConfig,
  isKept?: (path: string) => boolean,
): Changes {
  const needsRestart = (setting: Setting) => isKept?.(setting.path) ?? isUsedOnce(setting)
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
