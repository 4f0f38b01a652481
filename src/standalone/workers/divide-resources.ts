import { setAt, valueAt } from '../../platform/config/paths.ts'
import { hashingWidth } from '../../service/runtime-parts.ts'
import type { CheckedEnvironment } from '../settings/environment.ts'
import type { WorkerPlace } from './messages.ts'

/**
 * Returns the part of one worker. The parts add up to the whole, unless it is less than `least`
 * each.
 */
export function partOf(whole: number, { slot, count }: WorkerPlace, least = 1): number {
  const rest = slot < whole % count ? 1 : 0
  return Math.max(least, Math.floor(whole / count) + rest)
}

/** The number of hashing threads of a worker. */
export const hashingThreadsOf = (share: WorkerPlace): number => partOf(hashingWidth, share)

/** Settings that the workers share, with the minimum for one worker. 0 is no limit. */
const divided: readonly { path: string; least: number }[] = [
  { path: 'database.maxPoolSize', least: 1 },
  { path: 'database.maxIdlePoolSize', least: 1 },
  { path: 'server.maxConnections', least: 1 },
  { path: 'api.maxBodyBytesInFlight', least: 1_048_576 },
  { path: 'api.maxRequestsInFlight', least: 16 },
  { path: 'outgoing.maxRequests', least: 1 },
]

/** Returns the settings of one worker: its part of the resources, and the port of all. */
export function settingsOfWorker(
  checked: CheckedEnvironment,
  { slot, count, port }: WorkerPlace & { port: number },
): CheckedEnvironment {
  const config = structuredClone(checked.config) as Record<string, unknown>
  const resolved = structuredClone({
    server: checked.resolved.server,
    database: checked.resolved.database,
    api: checked.resolved.api,
    outgoing: checked.resolved.outgoing,
  })
  for (const { path, least } of divided) {
    // The default of the pool depends on where the service runs, so only a given value is divided.
    const whole = valueAt(path.startsWith('database.') ? config : resolved, path)
    if (typeof whole !== 'number' || whole === 0) continue
    const part = partOf(whole, { slot, count }, least)
    setAt(config, path, part)
    setAt(resolved, path, part)
  }
  setAt(config, 'server.port', port)
  setAt(resolved, 'server.port', port)
  return { ...checked, config, resolved: { ...checked.resolved, ...resolved } }
}
