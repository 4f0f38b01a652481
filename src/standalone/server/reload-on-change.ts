import { closeSync, openSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import type { AuthConfig } from '../../platform/config/config.ts'
import { setAt, valueAt } from '../../platform/config/paths.ts'
import type { ResolvedServer } from '../../platform/config/sections/server.ts'
import type { Setting } from '../../platform/config/setting.ts'
import { settings } from '../../platform/config/settings.ts'
import { type SettingsSources, stateOfSources } from '../settings/settings-files.ts'

interface Reloading {
  sources: SettingsSources
  /** The state of their files before they were first read. */
  state: FilesState
  settings: ResolvedServer
  hangUps: HangUps
  reload(): Promise<void>
  stop(signal: NodeJS.Signals): void
}

/** The SIGHUP signals of this process. */
export interface HangUps {
  /** Calls the function for each further signal, and at once if there was one before. */
  follow(onHangUp: () => void): void
}

/** Handles SIGHUP, which would otherwise end a process that is starting. */
export function listenForHangUps(): HangUps {
  let wasEarly = false
  let notify = (): void => {
    wasEarly = true
  }
  process.on('SIGHUP', () => notify())
  return {
    follow: (onHangUp) => {
      notify = onHangUp
      if (wasEarly) onHangUp()
    },
  }
}

/**
 * Reloads the settings on SIGHUP, and when files of their folder change. If SIGHUP means that the
 * controlling terminal was closed, it stops the service.
 */
export function reloadOnChange(reloading: Reloading): void {
  const { sources, settings, hangUps, reload, stop } = reloading
  hangUps.follow(() => {
    if (isTerminalClosed()) stop('SIGHUP')
    else void reload()
  })
  if (sources.folder !== null && settings.watchEnabled) watch(reloading)
}

/**
 * Polls the files: not every file system reports changes, and the events are unreliable if a folder
 * is replaced as a whole.
 */
function watch({ sources, state, settings, reload }: Reloading): void {
  const { watchIntervalSeconds, watchQuietSeconds } = settings
  let read = state
  let seen = read
  const look = () => {
    const now = stateOf(sources)
    const isQuiet = now === seen
    seen = now
    if (now === read) return lookIn(watchIntervalSeconds)
    if (!isQuiet) return lookIn(watchQuietSeconds)
    read = now
    void reload().then(() => lookIn(watchIntervalSeconds))
  }
  const lookIn = (seconds: number): void => void setTimeout(look, seconds * 1000).unref()
  lookIn(watchIntervalSeconds)
}

/** Equal states are of equal files. Null for a folder that is missing. */
export type FilesState = string | null

/**
 * Returns the state of the files; null for a folder that is missing, which may be temporary.
 * Reading it reports the problem.
 */
export function stateOf(sources: SettingsSources): FilesState {
  try {
    return stateOfSources(sources)
  } catch {
    return null
  }
}

function isTerminalClosed(): boolean {
  if (!process.stdin.isTTY) return false
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return false
  } catch {
    return true
  }
}

const madeOnce =
  /^(database|telemetry)\.|^rateLimits\.(store|redisUrl)$|^background\.frozenBetweenRequests$/

/**
 * Reports whether a setting is used once per process: for its address, log, database, counters or
 * exporters.
 */
export const isUsedOnce = ({ serverOnly, path }: Setting): boolean =>
  serverOnly || madeOnce.test(path)

interface Changes {
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
