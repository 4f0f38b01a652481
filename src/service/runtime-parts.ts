import { availableParallelism } from 'node:os'
import { openHashingThreads } from '../credentials/passwords/hashing-threads.ts'
import { openLimitStore } from '../limits/open-limit-store.ts'
import type { Config } from '../platform/config/config.ts'
import { systemClock } from '../platform/kit/clock.ts'
import { createClosers } from '../platform/kit/closers.ts'
import { describeFault } from '../platform/observability/describe-fault.ts'
import { type Logger, stderrLogger } from '../platform/observability/logger.ts'
import { openTelemetry } from '../platform/observability/open-telemetry.ts'
import type { Telemetry } from '../platform/observability/telemetry.ts'
import { announceEmbeddedDatabase } from './persistence/announce-embedded-database.ts'
import { openConfiguredDatabase } from './persistence/open-configured-database.ts'
import type { OpenDatabase } from './persistence/open-database.ts'
import { withReplica } from './persistence/replica.ts'
import { tracedDatabase } from './persistence/traced-database.ts'
import { databaseClockOf, type RuntimeParts, type World } from './world.ts'

/** The maximum number of concurrent hash computations. */
export const hashingWidth = Math.max(1, Math.min(availableParallelism(), 3))

/** Opens the parts that a service keeps when its settings change. */
export async function openParts(config: Config, world: World): Promise<RuntimeParts> {
  const logger = config.logger ?? stderrLogger
  const telemetry = await openTelemetry(config, logger, world.group?.metrics)
  const closers = createClosers()
  let database: OpenDatabase | undefined
  closers.add(() => database?.close())
  // Its last measurements read the database.
  closers.add(() => telemetry?.close())
  try {
    return await detached(telemetry, async () => {
      if (world.announces) announceEmbeddedDatabase(config)
      const opened = await (world.openDatabase?.(config.database) ?? openConfiguredDatabase(config))
      database = tracedDatabase(opened, telemetry)
      database = await withReplica(database, config.database, { logger, telemetry })
      const count = world.group?.hashingThreads ?? hashingWidth
      const threads = await openHashingThreads({
        count,
        maxWaiting: 64 * count,
        maxWaitMs: 10_000,
        logger,
      })
      closers.add(() => threads.close())
      const clock = world.clock ?? systemClock
      const inPrimary = config.rateLimits.store === 'memory' ? world.group?.limits : undefined
      const limits =
        inPrimary ??
        (await openLimitStore(config.rateLimits, {
          sql: database.sql,
          clock,
          storeClock: databaseClockOf(world),
          logger,
          telemetry,
        }))
      closers.add(() => limits.close())
      return { telemetry, database, threads, limits, close: closers.close }
    })
  } catch (error) {
    await closeAfterFault(closers, logger)
    throw error
  }
}

/** Closes parts after a failed start. Logs their errors, so that the error of the start is thrown. */
export const closeAfterFault = (
  opened: { close(): Promise<void> },
  logger: Logger,
): Promise<void> =>
  opened.close().catch((error: unknown) => {
    logger.warn({ fault: describeFault(error) }, 'a part of the failed start could not be closed')
  })

/**
 * Runs work outside the trace of a request: the first request starts a service, whose tasks do not
 * belong to it.
 */
export const detached = <T>(telemetry: Telemetry | null, work: () => Promise<T>): Promise<T> =>
  telemetry ? telemetry.detached(work) : work()
