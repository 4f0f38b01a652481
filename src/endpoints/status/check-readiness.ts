import type { Deps } from '../../accounts/auth-context.ts'
import { createSingleFlight } from '../../platform/kit/concurrency.ts'
import { withinTime } from '../../platform/kit/within-time.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'

/** A requirement for serving requests. */
export type ReadinessPart = 'database' | 'migrations' | 'keys'

type Needs = Pick<Deps, 'database' | 'keys' | 'logger'>

/** The timeout of all checks together: below the timeouts of orchestrators. */
const patienceMs = 3_000

/**
 * The time for which a result is reused: any client may request it, and the database must not be
 * queried as often.
 */
const freshMs = 1_000

/** Returns a function that finds the first missing part; null when all are ready. */
export function createReadinessCheck(needs: Needs): () => Promise<ReadinessPart | null> {
  const share = createSingleFlight()
  let known: { missing: ReadinessPart | null; until: number } | undefined
  return async () => {
    if (known && performance.now() < known.until) return known.missing
    return share('readiness', async () => {
      const missing = await findMissing(needs)
      known = { missing, until: performance.now() + freshMs }
      return missing
    })
  }
}

async function findMissing({ database, keys, logger }: Needs): Promise<ReadinessPart | null> {
  let part: ReadinessPart = 'database'
  const look = async (): Promise<ReadinessPart | null> => {
    const pending = await database.pendingMigrations()
    if (pending.length > 0) return 'migrations'
    const fault = await database.writeFault()
    if (fault !== null) throw new Error(fault)
    part = 'keys'
    await keys.requireReadable()
    return null
  }
  try {
    return await withinTime(look(), patienceMs, () => new Error(`no answer in ${patienceMs} ms`))
  } catch (error) {
    logger.warn({ part, fault: describeFault(error) }, 'not ready')
    return part
  }
}
