import { silentLogger } from '../../observability/logger.ts'
import type { Rule } from './rule.ts'

/** Levels at which a log has no entries of the audit log, which are of the level `info`. */
const quietLevels = ['warn', 'error', 'fatal', 'panic']

/**
 * Warns where the database stores no entries of the audit log, and the log has none either.
 *
 * @param isServed whether our own server writes the log: it takes `log.level`, and an application has its own.
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
      `leaves the entries of the audit log nowhere: the log has none of them. To keep them, ${remedy}`,
    )
  }
