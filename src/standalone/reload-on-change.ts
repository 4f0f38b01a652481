import { closeSync, openSync } from 'node:fs'
import type { ResolvedServer } from '../platform/config/sections/server.ts'
import { type SettingsSources, stateOfSources } from './settings-files.ts'

interface Reloading {
  sources: SettingsSources
  settings: ResolvedServer
  hangUps: HangUps
  reload(): Promise<void>
  stop(signal: NodeJS.Signals): void
}

/** The signals SIGHUP of this process. */
interface HangUps {
  /** From now on each is told; at once, if there was one before. */
  follow(onHangUp: () => void): void
}

/** Hears SIGHUP, which would otherwise end a process that is starting. */
export function hearHangUps(): HangUps {
  let wasEarly = false
  let tell = (): void => {
    wasEarly = true
  }
  process.on('SIGHUP', () => tell())
  return {
    follow: (onHangUp) => {
      tell = onHangUp
      if (wasEarly) onHangUp()
    },
  }
}

/**
 * Has settings read anew on SIGHUP, and when files of their folder change. Where SIGHUP says that the terminal is
 * gone which the service was started at, it stops.
 */
export function reloadOnChange({ sources, settings, hangUps, reload, stop }: Reloading): void {
  hangUps.follow(() => {
    if (isTerminalGone()) stop('SIGHUP')
    else void reload()
  })
  if (sources.folder !== null && settings.watchEnabled) watch(sources, settings, reload)
}

/**
 * A timer looks at the files: what the system tells of them is not told of every file system, and seldom what is
 * meant where a folder is replaced as a whole.
 */
function watch(
  sources: SettingsSources,
  { watchIntervalSeconds, watchQuietSeconds }: ResolvedServer,
  reload: () => Promise<void>,
): void {
  let read = stateOf(sources)
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

/** A folder that is gone for a moment is a state like any other: reading it says what is wrong. */
function stateOf(sources: SettingsSources): string | null {
  try {
    return stateOfSources(sources)
  } catch {
    return null
  }
}

function isTerminalGone(): boolean {
  if (!process.stdin.isTTY) return false
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return false
  } catch {
    return true
  }
}
