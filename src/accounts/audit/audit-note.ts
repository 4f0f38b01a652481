import type { Clock } from '../../platform/kit/clock.ts'
import { nilUuid } from '../../platform/kit/uuid.ts'
import { type Logger, logsWarningsOnly } from '../../platform/observability/logger.ts'
import { type Rows, rowsOf } from '../../platform/sql/tables.ts'
import { type AuditAction, actionOf, auditActions } from './actions.ts'
import {
  type AuditEntryRow,
  type AuditEvent,
  auditEntries,
  type EventOrigin,
  nonPersonalTraits,
} from './audit-row.ts'

/** The entries of an act: rows that the statement stores, and lines that are logged afterwards. */
export interface AuditNote {
  /**
   * One parameter of the statement that performs the act. Empty where the configuration stores no
   * entries.
   */
  rows: Rows<'audit_entries'>
  /**
   * Writes a line for each entry that was stored.
   *
   * @returns the actions of these entries.
   */
  log(stored: StoredEntries): AuditAction[]
}

/**
 * The entries of an act that were stored, where only the statement determines it. Empty: all
 * entries, unchanged.
 */
export interface StoredEntries {
  /** The user who acted. */
  actorId?: string
  /** The users that the act reached. Entries about other users were not stored. */
  reached?: ReadonlySet<string>
  /** The user of each stored entry, in the order of the entries. */
  about?: readonly string[]
}

interface Needs {
  config: { auditLog: { disablePostgres: boolean } }
  clock: Clock
  logger: Logger
  request: EventOrigin & { userAgent: string | null }
}

/** Prepares the entries of an act. Only `accounts/acts/record-act.ts` calls it. */
export function auditNote(needs: Needs, ...events: AuditEvent[]): AuditNote {
  const { config, clock, logger, request } = needs
  const entries = auditEntries(request, clock.now(), events)
  return {
    rows: config.auditLog.disablePostgres
      ? rowsOf('audit_entries')
      : rowsOf('audit_entries', ...entries),
    log: (stored) => {
      const done = storedEntries(entries, stored)
      for (const entry of done) logEntry(logger, entry, request.userAgent)
      return done.map(({ action }) => actionOf(action)).filter((action) => action !== null)
    },
  }
}

function storedEntries(
  entries: readonly AuditEntryRow[],
  { actorId, reached, about }: StoredEntries,
): readonly AuditEntryRow[] {
  if (about) {
    return entries.flatMap((entry, at) => {
      const userId = about[at]
      return userId === undefined ? [] : [{ ...entry, user_id: userId }]
    })
  }
  if (reached) return entries.filter(({ user_id }) => reached.has(user_id ?? ''))
  return actorId === undefined ? entries : entries.map((entry) => ({ ...entry, actor_id: actorId }))
}

/**
 * Writes the log line of an entry: its wire form, under the name that log pipelines expect. It
 * contains user ids only; addresses and names do not belong in a log.
 */
function logEntry(logger: Logger, entry: AuditEntryRow, userAgent: string | null): void {
  if (logsWarningsOnly(logger)) return
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
