import { nilUuid } from '../kit/uuid.ts'
import { hearsOnlyTrouble, type Logger } from '../observability/logger.ts'
import { actionOf } from './actions.ts'
import type { AuditEntryRow } from './audit-row.ts'
import { logTypeOf } from './log-types.ts'
import { nonPersonalTraits } from './non-personal-traits.ts'

/**
 * Writes the line of an entry: what the wire shows of it, under the name that log pipelines know. People
 * are ids there; their addresses and names are not for a log.
 */
export function logEntry(logger: Logger, entry: AuditEntryRow, userAgent: string | null): void {
  if (hearsOnlyTrouble(logger)) return
  const action = actionOf(entry.action)
  if (action === null) return
  const fields = {
    audit_log_id: entry.id,
    created_at: entry.created_at,
    action,
    log_type: logTypeOf(action),
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
