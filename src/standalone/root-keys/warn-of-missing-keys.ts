import type { Deps } from '../../accounts/auth-context.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import { countSealedRows } from './count-sealed-rows.ts'

/**
 * Logs a warning at start if values are sealed with root keys that are not configured. Never
 * rejects.
 */
export async function warnOfMissingKeys({
  database,
  roots,
  logger,
}: Pick<Deps, 'database' | 'roots' | 'logger'>): Promise<void> {
  try {
    for (const { keyId, state, counts } of await countSealedRows(database.sql, roots)) {
      if (state !== 'missing') continue
      logger.warn(
        { root_key: keyId, sealed: counts },
        'stored values are sealed with a root key that is not configured: add it to AUTH_ENCRYPTION_KEY after the ' +
          'current one, then run latchkey keys reseal',
      )
    }
  } catch (error) {
    logger.warn({ fault: describeFault(error) }, 'root keys were not checked')
  }
}
