import { instant, type JsonSchema } from '../../platform/http/json-schema.ts'
import type { Factor } from './user.ts'

/** A factor on the wire, where only the time of a challenge may be null. */
export const presentFactor = (factor: Factor): Record<string, unknown> => ({
  id: factor.id,
  created_at: factor.createdAt,
  updated_at: factor.updatedAt,
  status: factor.status,
  friendly_name: factor.friendlyName ?? undefined,
  factor_type: factor.factorType,
  phone: factor.phone ?? '',
  last_challenged_at: factor.lastChallengedAt,
  web_authn_aaguid: factor.webAuthnAaguid ?? undefined,
})

export const factorSchema = {
  type: 'object',
  properties: {
    id: { type: 'string', format: 'uuid' },
    created_at: instant,
    updated_at: instant,
    status: { type: 'string', enum: ['unverified', 'verified'] },
    friendly_name: { type: 'string' },
    factor_type: { type: 'string', enum: ['totp', 'phone', 'webauthn', 'recovery_code'] },
    phone: { type: 'string', description: 'The digits of E.164; empty unless it is a phone.' },
    last_challenged_at: { type: ['string', 'null'], format: 'date-time' },
    web_authn_aaguid: { type: 'string', format: 'uuid' },
  },
  required: [
    'id',
    'created_at',
    'updated_at',
    'status',
    'factor_type',
    'phone',
    'last_challenged_at',
  ],
  additionalProperties: false,
} as const satisfies JsonSchema
