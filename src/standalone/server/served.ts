import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../platform/config/config.ts'
import { databaseOf } from '../../platform/config/given-config.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { ConfigError } from '../../platform/errors/start-errors.ts'
import { type AnswerRequest, answering } from '../../platform/http/answer.ts'
import { createKeyedMutex } from '../../platform/kit/concurrency.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import type { Auth } from '../../service/api/auth.ts'
import { createService, type Service } from '../../service/create-auth.ts'
import { codesOf } from '../../service/persistence/describe-database-error.ts'
import { startPatience } from '../../service/persistence/migration-lock.ts'
import { isLockConflict } from '../../service/persistence/sql-states.ts'
import { warnOfMissingKeys } from '../../service/sealed-rows.ts'
import type { WorkerGroup } from '../../service/worker-group.ts'
import type { CheckedEnvironment } from '../settings/environment.ts'
import { changesBetween } from './reload-on-change.ts'
import { answerOf, withSubscribePages } from './with-subscribe-pages.ts'

/** A service whose settings may change while it runs. */
export interface Served {
  /** Handles a request by the settings at the time of its receipt. */
  auth: Pick<Auth, 'app' | 'close'>
  /** Applies the present settings, or logs why they are invalid and keeps the former ones. */
  reload(): Promise<void>
}

interface ServedNeeds {
  logger: Logger
  /** @throws ConfigError if the settings are invalid. */
  read(): CheckedEnvironment
  /** Called with the settings that were applied. */
  changed(config: Config): void
}

/** Opens the service with its first settings. */
export async function openServed(first: CheckedEnvironment, needs: ServedNeeds): Promise<Served> {
  const { logger } = needs
  let current = await openService(first, { logger })
  const retiring = new Set<Promise<void>>()

  const retire = (service: Service): void => {
    const ending = service
      .retire()
      .catch((error) => logger.warn({ fault: describeFault(error) }, 'ended uncleanly'))
      .finally(() => retiring.delete(ending))
    retiring.add(ending)
  }
  const replace = async (next: CheckedEnvironment): Promise<void> => {
    const { config, changed, kept } = changesBetween(current.config, next.config)
    const named = (paths: string[]) => paths.map(next.nameOf)
    if (kept.length > 0) {
      logger.warn({ settings: named(kept) }, 'settings that need a restart were not applied')
    }
    if (changed.length === 0) return logger.info({}, 'settings have not changed')
    const former = current
    current = await openService({ ...next, config }, { logger, former: former.service })
    retire(former.service)
    needs.changed(current.resolved)
    logger.info({ settings: named(changed) }, 'settings reloaded')
  }
  const inTurn = createKeyedMutex()
  /** A reload that waits to begin, and reads the settings when it does. */
  let coming: Promise<void> | null = null
  let isClosed = false

  const reload = async (): Promise<void> => {
    coming = null
    if (isClosed) return
    try {
      const next = needs.read()
      for (const remark of next.remarks) logger.warn({}, remark)
      await replace(next)
    } catch (error) {
      logger.error(reasonOf(error), 'settings were not reloaded; the former ones remain in effect')
    }
  }
  const answer: AnswerRequest = (request) => answerOf(current.app)(request)
  answer.atOnce = (request) => answerOf(current.app).atOnce?.(request) ?? null
  // The app's type does not contain the method that Latchkey's adapters use.
  const app = {
    fetch: (request: Request) => current.app.fetch(request),
    [answering]: answer,
  }
  return {
    auth: {
      app,
      close: async () => {
        isClosed = true
        await inTurn('reload', async () => {})
        await Promise.all(retiring)
        // It reads the database.
        await current.checking
        await current.service.auth.close()
      },
    },
    reload: () => {
      coming ??= inTurn('reload', reload)
      return coming
    },
  }
}

interface OpenNeeds {
  logger: Logger
  /** The service whose database, threads and counters the next one uses. */
  former?: Service
  /** The worker processes that this one belongs to. */
  group?: WorkerGroup
}

/** Opens the service of the standalone server. */
export async function openService(
  checked: CheckedEnvironment,
  { logger, former, group }: OpenNeeds,
) {
  const { config, nameOf } = checked
  // A standalone process shares its connections with no host: the default leaves a fifth of the
  // server's connections to others.
  const database = { maxPoolSize: 0, ...databaseOf(config) }
  const parts = former && (await former.runtime()).parts
  const service = createService(
    { ...config, database, logger },
    { nameOf, respondsThroughNode: true, ...(parts && { parts }), ...(group && { group }) },
  )
  const { deps } = await (former
    ? service.runtime()
    : whenDatabaseRuns(() => service.runtime(), logger))
  // Of several workers, the first one warns.
  const checking = !group || group.metrics.worker === 1 ? warnOfMissingKeys(deps) : null
  try {
    const app = await withSubscribePages(service.auth, deps.config)
    return { service, app, config, resolved: deps.config, checking }
  } catch (error) {
    // The former service remains, so the background tasks of this one have to end.
    await service.retire().catch(() => {})
    throw error
  }
}

/** Returns the fields of the log by which settings were rejected. */
export const reasonOf = (error: unknown): object =>
  error instanceof ConfigError
    ? { problems: error.problems.map(({ path, message }) => `${path} ${message}`) }
    : { fault: describeFault(error) }

const pauseMs = 1_000

/**
 * States of a server that accepts no statements yet: it starts, or restores a backup.
 *
 * @see PostgreSQL documentation, appendix A: `cannot_connect_now`,
 *   `object_not_in_prerequisite_state`
 */
const startingStates = new Set(['57P03', '55000'])

/**
 * Starts a service, and tries again while the database starts or restores, or another transaction
 * or instance blocks a migration. Other errors, such as a wrong address, end the command.
 */
async function whenDatabaseRuns<T>(start: () => Promise<T>, logger: Logger): Promise<T> {
  let logged = ''
  for (;;) {
    try {
      return await start()
    } catch (error) {
      const codes = error instanceof AuthError ? codesOf(error) : []
      const isMigrationBlocked = codes.some(isLockConflict)
      if (!isMigrationBlocked && !codes.some((code) => startingStates.has(code))) throw error
      const { message } = error as AuthError
      if (message !== logged) {
        logger.warn({ fault: describeFault(error) }, 'the database is not ready; serve waits')
      }
      logged = message
      await sleep(isMigrationBlocked ? startPatience.pauseMs : pauseMs)
    }
  }
}
