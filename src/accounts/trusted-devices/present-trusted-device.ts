import { instant, type JsonSchema } from '../../platform/http/json-schema.ts'
import type { TrustedDevice } from './trusted-device.ts'

/** A trusted device on the wire. */
export const presentTrustedDevice = (device: TrustedDevice): Record<string, unknown> => ({
  id: device.id,
  user_agent: device.userAgent ?? undefined,
  created_at: device.createdAt,
  last_used_at: device.lastUsedAt,
  expires_at: device.expiresAt,
})

export const trustedDeviceSchema = {
  type: 'object',
  properties: {
    id: { type: 'string', format: 'uuid' },
    user_agent: { type: 'string', description: 'What the browser or app said it was.' },
    created_at: instant,
    last_used_at: instant,
    expires_at: instant,
  },
  required: ['id', 'created_at', 'last_used_at', 'expires_at'],
  additionalProperties: false,
} as const satisfies JsonSchema
