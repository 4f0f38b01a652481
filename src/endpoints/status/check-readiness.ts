import type { Deps } from '../../accounts/auth-context.ts'
import { createSingleFlight } from '../../platform/kit/single-flight.ts'
import { withinTime } from '../../platform/kit/within-time.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'

/** What a request cannot be served without. */
export type ReadinessPart = 'database' | 'migrations' | 'keys'

type Needs = Pick<Deps, 'database' | 'keys' | 'logger'>

/** How long the parts may take together: less than any orchestrator waits for an answer. */
const patienceMs = 3_000

/** How long an answer holds: anybody may ask, and the database must not be asked as often. */
const freshMs = 1_000

/** @returns what tells the first part that is not there; null where all are. */
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
