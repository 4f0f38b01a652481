import { instant, type JsonSchema } from '../../platform/http/json-schema.ts'

/** A passkey of a user, without its key. */
export interface Passkey {
  id: string
  /** The name that the user gave it; `Passkey` by default. */
  friendlyName: string
  createdAt: Date
  /** The last sign-in with it; null before the first. */
  lastUsedAt: Date | null
  /**
   * The time since which it is rejected, until the account's address confirms it; null for one in
   * use.
   */
  suspendedAt: Date | null
}

/** Builds the wire form of a passkey. An unused one has no time of its last use. */
export const presentPasskey = (passkey: Passkey): Record<string, unknown> => ({
  id: passkey.id,
  friendly_name: passkey.friendlyName,
  created_at: passkey.createdAt,
  last_used_at: passkey.lastUsedAt ?? undefined,
  suspended_at: passkey.suspendedAt ?? undefined,
})

export const passkeySchema = {
  type: 'object',
  properties: {
    id: { type: 'string', format: 'uuid' },
    friendly_name: { type: 'string' },
    created_at: instant,
    last_used_at: instant,
    suspended_at: instant,
  },
  required: ['id', 'friendly_name', 'created_at'],
  additionalProperties: false,
} as const satisfies JsonSchema
