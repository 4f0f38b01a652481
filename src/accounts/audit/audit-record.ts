import { type AuditAction, actionOf } from './actions.ts'
import type { AuditEntryRow } from './audit-row.ts'

/** An audit entry as read, with the present data of its actor and user. */
export interface AuditRecord {
  id: string
  createdAt: Date
  action: AuditAction
  /**
   * The user who acted, also one who operates through code with the option `actor`; null where no
   * user was signed in, or another operator acted.
   */
  actorId: string | null
  /**
   * The role of an operator who acted; `host` for the host's own code, `cli` for `latchkey admin`.
   */
  actorRole: string | null
  /** The affected user, where that is not the actor. */
  userId: string | null
  /** Details, such as the provider. */
  traits: Record<string, unknown>
  ip: string | null
  requestId: string | null
  /**
   * The number of requests that the entry counts. Requests without a session for addresses without
   * an account are counted together, for each client, address and hour. `createdAt` is then the
   * beginning of the hour, and `ip` may be a network. 1 for all other entries.
   */
  occurrences: number
  /** Null when the user does not exist, or no longer exists. */
  actor: AuditedUser | null
  user: AuditedUser | null
}

export interface AuditedUser {
  email: string | null
  phone: string | null
  /** The `full_name` in the user's metadata, which the user can change. */
  fullName: string | null
  isSsoUser: boolean
}

/**
 * An entry as PostgreSQL writes it in JSON.
 *
 * @internal The published types refer to it, and would refer to the ORM's types.
 */
export interface AuditRecordRow extends AuditEntryRow {
  actor: AuditedUserRow | null
  user: AuditedUserRow | null
}

interface AuditedUserRow {
  email: string | null
  phone: string | null
  full_name: string | null
  is_sso_user: boolean
}

/**
 * Returns an entry; null for an action that only a newer version defines.
 *
 * @internal The published types refer to it, and would refer to the ORM's types.
 */
export function toAuditRecord(row: AuditRecordRow): AuditRecord | null {
  const action = actionOf(row.action)
  if (action === null) return null
  return {
    id: row.id,
    createdAt: new Date(row.created_at),
    action,
    actorId: row.actor_id,
    actorRole: row.actor_role,
    userId: row.user_id,
    traits: row.traits ?? {},
    ip: row.ip,
    requestId: row.request_id,
    occurrences: row.occurrences ?? 1,
    actor: row.actor && toAuditedUser(row.actor),
    user: row.user && toAuditedUser(row.user),
  }
}

const toAuditedUser = (row: AuditedUserRow): AuditedUser => ({
  email: row.email,
  phone: row.phone,
  fullName: row.full_name,
  isSsoUser: row.is_sso_user,
})
