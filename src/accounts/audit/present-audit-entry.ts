import { instant, type JsonSchema } from '../../platform/http/json-schema.ts'
import { nilUuid } from '../../platform/kit/uuid.ts'
import { auditActions } from './actions.ts'
import type { AuditRecord } from './audit-record.ts'

/** Builds the wire form of an audit entry. Unknown values are empty strings. */
export const presentAuditEntry = (entry: AuditRecord): Record<string, unknown> => ({
  id: entry.id,
  created_at: entry.createdAt,
  ip_address: entry.ip ?? '',
  request_id: entry.requestId ?? '',
  payload: {
    actor_id: entry.actorId ?? nilUuid,
    actor_via_sso: entry.actor?.isSsoUser ?? false,
    actor_username: entry.actor?.phone ?? entry.actor?.email ?? entry.actorRole ?? '',
    actor_name: entry.actor?.fullName ?? undefined,
    action: entry.action,
    log_type: auditActions[entry.action].logType,
    traits: traitsOf(entry),
    ...(entry.occurrences > 1 && { occurrences: entry.occurrences }),
  },
})

/**
 * Returns the traits and the affected user, with its present addresses. They are empty for a
 * deleted user.
 */
function traitsOf({ userId, user, traits }: AuditRecord): Record<string, unknown> | undefined {
  const about = userId !== null && {
    user_id: userId,
    user_email: user?.email ?? '',
    user_phone: user?.phone ?? '',
  }
  const all = { ...about, ...traits }
  return Object.keys(all).length === 0 ? undefined : all
}

export const auditEntrySchema = {
  type: 'object',
  properties: {
    id: { type: 'string', format: 'uuid' },
    created_at: instant,
    ip_address: { type: 'string' },
    request_id: { type: 'string' },
    payload: {
      type: 'object',
      properties: {
        actor_id: { type: 'string', format: 'uuid' },
        actor_via_sso: { type: 'boolean' },
        actor_username: { type: 'string' },
        actor_name: { type: 'string' },
        action: { type: 'string' },
        log_type: { type: 'string' },
        traits: { type: 'object' },
        occurrences: { type: 'integer' },
      },
      required: ['actor_id', 'actor_via_sso', 'actor_username', 'action', 'log_type'],
      additionalProperties: false,
    },
  },
  required: ['id', 'created_at', 'ip_address', 'request_id', 'payload'],
  additionalProperties: false,
} as const satisfies JsonSchema
