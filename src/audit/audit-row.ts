import { timeOrderedUuid } from '../kit/uuid.ts'
import type { RowOf } from '../sql/row-of.ts'
import { type AuditAction, auditActions } from './actions.ts'
import type { AuditEntry as AuditEntryEntity } from './audit-entry.entity.ts'

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
export type AuditEntryRow = RowOf<AuditEntryEntity>

/** The request or call that something happened in. */
export interface EventOrigin {
  id: string | null
  ip: string | null
}

/** Entries about what happens at one moment. They are read in the order in which they are told here. */
export function auditEntries(
  origin: EventOrigin,
  now: Date,
  events: readonly AuditEvent[],
): AuditEntryRow[] {
  const ids = events.map(() => timeOrderedUuid(now)).toSorted()
  return events.map((event, at) => ({
    id: ids[at] ?? '',
    created_at: now.toISOString(),
    action: auditActions[event.action],
    actor_id: event.actorId ?? null,
    actor_role: event.actorRole ?? null,
    user_id: event.userId ?? null,
    traits: event.traits ?? null,
    ip: origin.ip,
    request_id: origin.id,
  }))
}

/**
 * Particulars that tell of nobody: an erasure leaves them, and a log may hold them. What is not named
 * here does neither.
 */
export const nonPersonalTraits: readonly string[] = [
  'provider',
  'provider_type',
  'channel',
  'reason',
  'erased',
]
