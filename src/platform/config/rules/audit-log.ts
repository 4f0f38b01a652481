import { silentLogger } from '../../observability/logger.ts'
import type { Rule } from './rule.ts'

/** Log levels that exclude audit entries, which have the level `info`. */
const quietLevels = ['warn', 'error', 'fatal', 'panic']

/**
 * Warns if neither the database nor the log stores audit entries.
 *
 * @param isServed whether the standalone server writes the log, by `log.level`; an application has
 *   its own.
 */
export const warnOfLostAudit =
  (isServed: boolean): Rule =>
  ({ config: { auditLog, development, log, logger }, report }) => {
    const isHeard = isServed
      ? !quietLevels.includes(log.level)
      : logger !== null && logger !== silentLogger
    if (!auditLog.disablePostgres || development || isHeard) return
    const remedy = isServed ? `set ${report.name('log.level')} to info` : 'give a `logger`'
    report.warn(
      'auditLog.disablePostgres',
      `discards audit entries, since the log does not contain them. To keep them, ${remedy}`,
    )
  }
