import { factorKinds, presentedFactorTypes } from '../../platform/factor-kinds/factor-kinds.ts'
import { instant, type JsonSchema } from '../../platform/http/json-schema.ts'
import type { Factor } from './user.ts'

/**
 * Builds the wire form of a factor, in which only the time of a challenge may be null. A kind that
 * clients do not know is presented as another one, with its channel.
 */
export const presentFactor = (factor: Factor): Record<string, unknown> => ({
  id: factor.id,
  created_at: factor.createdAt,
  updated_at: factor.updatedAt,
  status: factor.status,
  friendly_name: factor.friendlyName ?? undefined,
  ...presentType(factor),
  last_challenged_at: factor.lastChallengedAt,
  web_authn_aaguid: factor.webAuthnAaguid ?? undefined,
})

function presentType({ factorType, phone }: Factor): Record<string, unknown> {
  const presented = factorType === 'recovery_code' ? null : factorKinds[factorType].presentedAs
  if (!presented) return { factor_type: factorType, phone: phone ?? '' }
  return { factor_type: presented.factorType, channel: presented.channel }
}

export const factorSchema = {
  type: 'object',
  properties: {
    id: { type: 'string', format: 'uuid' },
    created_at: instant,
    updated_at: instant,
    status: { type: 'string', enum: ['unverified', 'verified'] },
    friendly_name: { type: 'string' },
    factor_type: { type: 'string', enum: [...presentedFactorTypes, 'recovery_code'] },
    channel: {
      type: 'string',
      description: 'The carrier of the codes, where the kind is presented as another one.',
    },
    phone: {
      type: 'string',
      description: 'The digits of E.164; empty unless it is a phone. Absent with `channel`.',
    },
    last_challenged_at: { type: ['string', 'null'], format: 'date-time' },
    web_authn_aaguid: { type: 'string', format: 'uuid' },
  },
  required: ['id', 'created_at', 'updated_at', 'status', 'factor_type', 'last_challenged_at'],
  additionalProperties: false,
} as const satisfies JsonSchema
