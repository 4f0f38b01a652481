import type { Clock } from '../../platform/kit/clock.ts'
import { nilUuid } from '../../platform/kit/uuid.ts'
import { hearsOnlyTrouble, type Logger } from '../../platform/observability/logger.ts'
import { type Rows, rowsOf } from '../../platform/sql/tables.ts'
import { actionOf, auditActions } from './actions.ts'
import {
  type AuditEntryRow,
  type AuditEvent,
  auditEntries,
  type EventOrigin,
  nonPersonalTraits,
} from './audit-row.ts'

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

/**
 * Writes the line of an entry: what the wire shows of it, under the name that log pipelines know. People
 * are ids there; their addresses and names are not for a log.
 */
function logEntry(logger: Logger, entry: AuditEntryRow, userAgent: string | null): void {
  if (hearsOnlyTrouble(logger)) return
  const action = actionOf(entry.action)
  if (action === null) return
  const fields = {
    audit_log_id: entry.id,
    created_at: entry.created_at,
    action,
    log_type: auditActions[action].logType,
    actor_id: entry.actor_id ?? nilUuid,
    ...(entry.actor_role !== null && { actor_username: entry.actor_role }),
    traits: { ...(entry.user_id && { user_id: entry.user_id }), ...harmlessOf(entry.traits) },
    ip_address: entry.ip ?? '',
    request_id: entry.request_id,
    user_agent: userAgent ?? '',
  }
  logger.info({ auth_audit_event: fields }, 'audit_event')
}

const harmlessOf = (traits: AuditEntryRow['traits']): object =>
  Object.fromEntries(
    Object.entries(traits ?? {}).filter(([name]) => nonPersonalTraits.includes(name)),
  )
