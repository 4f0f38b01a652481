import type { Clock } from '../kit/clock.ts'
import type { Logger } from '../observability/logger.ts'
import { type Rows, rowsOf } from '../sql/tables.ts'
import { type AuditEvent, auditEntries, type EventOrigin } from './audit-row.ts'
import { logEntry } from './log-entry.ts'

/** What is recorded of an act: entries to store with it, and lines to log once it is done. */
export interface AuditNote {
  /** For the statement that does what they record, as one parameter of it; empty where none are stored. */
  rows: Rows<'audit_entries'>
  /**
   * Writes a line for each entry.
   *
   * @param actorId who acted, where only the statement found that out.
   */
  log(actorId?: string): void
  /** The same for the entries about these users alone, where an act may have reached some of many. */
  logAbout(userIds: ReadonlySet<string>): void
  /** The same for as many entries as users, each about one of them, where only the statement found out whom. */
  logAboutEach(userIds: readonly string[]): void
}

interface Needs {
  config: { auditLog: { disablePostgres: boolean } }
  clock: Clock
  logger: Logger
  request: EventOrigin & { userAgent: string | null }
}

/** Notes what is about to happen. It has happened, for the log, when the note is told so. */
export function auditNote(needs: Needs, ...events: AuditEvent[]): AuditNote {
  const { config, clock, logger, request } = needs
  const entries = auditEntries(request, clock.now(), events)
  return {
    rows: config.auditLog.disablePostgres
      ? rowsOf('audit_entries')
      : rowsOf('audit_entries', ...entries),
    log: (actorId) => {
      for (const entry of entries) {
        logEntry(logger, { ...entry, actor_id: actorId ?? entry.actor_id }, request.userAgent)
      }
    },
    logAbout: (userIds) => {
      for (const entry of entries) {
        if (userIds.has(entry.user_id ?? '')) logEntry(logger, entry, request.userAgent)
      }
    },
    logAboutEach: (userIds) => {
      for (const [at, userId] of userIds.entries()) {
        const entry = entries[at]
        if (entry) logEntry(logger, { ...entry, user_id: userId }, request.userAgent)
      }
    },
  }
}
