import type { Clock } from '../kit/clock.ts'
import { jsonRows } from '../kit/queryable.ts'
import { timeOrderedUuid } from '../kit/uuid.ts'
import { type AuditAction, auditActions } from './actions.ts'

/** What happened. */
export interface AuditEvent {
  action: AuditAction
  /** The user who acted. Absent where nobody was signed in, or an operator acted. */
  actorId?: string | null
  /** The role of an operator who acted. */
  actorRole?: string
  /** The user whom it concerns, where that is not the actor. */
  userId?: string
  /** Particulars, such as the provider. */
  traits?: Record<string, unknown>
}

/** An entry as it is stored. */
export interface AuditEntryRow {
  id: string
  created_at: string
  /** The number of an {@link AuditAction}. */
  action: number
  actor_id: string | null
  actor_role: string | null
  user_id: string | null
  traits: Record<string, unknown> | null
  ip: string | null
  request_id: string | null
}

interface Needs {
  clock: Clock
  request: { id: string | null; ip: string | null }
}

/** Entries for the statement that does what they record, as one parameter of it. */
export function auditRows(needs: Needs, ...events: AuditEvent[]): string {
  const now = needs.clock.now()
  // What happened at one moment is read in the order in which it is told here.
  const ids = events.map(() => timeOrderedUuid(now)).toSorted()
  return jsonRows(...events.map((event, at) => auditRow(needs.request, event, now, ids[at])))
}

function auditRow(request: Needs['request'], event: AuditEvent, now: Date, id: string | undefined) {
  return {
    id,
    created_at: now.toISOString(),
    action: auditActions[event.action],
    actor_id: event.actorId ?? null,
    actor_role: event.actorRole ?? null,
    user_id: event.userId ?? null,
    traits: event.traits ?? null,
    ip: request.ip,
    request_id: request.id,
  }
}
