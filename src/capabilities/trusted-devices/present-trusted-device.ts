import { sessionSchema } from '../../accounts/sessions/present-session.ts'
import type { NamedSchema } from '../../endpoints/http/endpoint.ts'
import { instant, type JsonSchema } from '../../platform/http/json-schema.ts'
import type { TrustedDevice } from './trusted-device.ts'

/** Builds the wire form of a trusted device. */
export const presentTrustedDevice = (device: TrustedDevice): Record<string, unknown> => ({
  id: device.id,
  user_agent: device.userAgent ?? undefined,
  created_at: device.createdAt,
  last_used_at: device.lastUsedAt,
  expires_at: device.expiresAt,
})

const trustedDeviceSchema = {
  type: 'object',
  properties: {
    id: { type: 'string', format: 'uuid' },
    user_agent: {
      type: 'string',
      description: 'The `User-Agent` header of the browser or application.',
    },
    created_at: instant,
    last_used_at: instant,
    expires_at: instant,
  },
  required: ['id', 'created_at', 'last_used_at', 'expires_at'],
  additionalProperties: false,
} as const satisfies JsonSchema

const trustedDevice = { name: 'TrustedDevice', schema: trustedDeviceSchema }

export const trustedDeviceList: NamedSchema = {
  name: 'TrustedDevices',
  schema: { type: 'array', items: { $ref: '#/components/schemas/TrustedDevice' } },
  refersTo: [trustedDevice],
}

/** The response to a trust request. It contains no secret where a cookie stores it. */
export const newTrustedDevice: NamedSchema = {
  name: 'NewTrustedDevice',
  schema: {
    ...trustedDeviceSchema,
    properties: { ...trustedDeviceSchema.properties, secret: { type: 'string' } },
  },
}

export const trustedSession: NamedSchema = {
  name: 'TrustedSession',
  schema: {
    ...sessionSchema,
    properties: {
      ...sessionSchema.properties,
      trusted_device_secret: {
        type: 'string',
        description: 'The next secret of the device. Absent if a cookie stores it.',
      },
    },
  },
}
