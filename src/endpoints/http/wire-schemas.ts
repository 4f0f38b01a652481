import { auditEntrySchema } from '../../accounts/audit/present-audit-entry.ts'
import { decisionSchema } from '../../accounts/decisions/present-decision.ts'
import { passkeySchema } from '../../accounts/passkeys/passkey.ts'
import { sessionSchema } from '../../accounts/sessions/present-session.ts'
import { factorSchema, identitySchema, userSchema } from '../../accounts/users/present-user.ts'
import { challengedFactorTypes } from '../../platform/factor-kinds/factor-kinds.ts'
import type { JsonSchema } from '../../platform/http/json-schema.ts'
import {
  errorSchema,
  oauthErrorSchema,
  textCodeErrorSchema,
} from '../../platform/http/present-error.ts'

const text = { type: 'string' } as const
const uuid = { type: 'string', format: 'uuid' } as const

/** Returns the schema of an object with exactly these properties, all of them required. */
export const exactly = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

const expiresAt = { type: 'integer', description: 'In seconds since 1970.' } as const
const timeout = { type: 'integer', description: 'In milliseconds.' } as const
/** Describes a list of objects that identify a public key. */
const keys = (properties: Record<string, JsonSchema>, required: string[]): JsonSchema => ({
  type: 'array',
  items: {
    type: 'object',
    properties: { type: { const: 'public-key' }, ...properties },
    required: ['type', ...required],
    additionalProperties: false,
  },
})
const credentials = keys({ id: text, transports: { type: 'array', items: text } }, ['id'])

/**
 * Describes the options of `navigator.credentials.create`. All additional properties are required.
 */
const creationOptions = (more: Record<string, JsonSchema>): JsonSchema => ({
  type: 'object',
  description: 'Options of `navigator.credentials.create`; binary values in base64url.',
  properties: {
    rp: exactly({ id: text, name: text }),
    user: exactly({ id: text, name: text, displayName: text }),
    challenge: text,
    pubKeyCredParams: keys({ alg: { type: 'integer' } }, ['alg']),
    timeout,
    excludeCredentials: credentials,
    ...more,
  },
  required: ['rp', 'user', 'challenge', 'pubKeyCredParams', 'timeout', ...Object.keys(more)],
  additionalProperties: false,
})

/** Describes the options of `navigator.credentials.get`. */
const requestOptions = (more: Record<string, JsonSchema>): JsonSchema => ({
  ...exactly({ challenge: text, timeout, rpId: text, ...more }),
  description: 'Options of `navigator.credentials.get`; binary values in base64url.',
})

/** Describes the WebAuthn ceremony of a security key. */
const keyCeremony = (type: string, publicKey: JsonSchema): JsonSchema =>
  exactly({ type: { const: type }, credential_options: exactly({ publicKey }) })

/** The schemas of several endpoints, by their names in the OpenAPI document. */
export const wireSchemas = {
  User: userSchema,
  Identity: identitySchema,
  Factor: factorSchema,
  Session: sessionSchema,
  AuditEntry: auditEntrySchema,
  Error: errorSchema,
  ErrorWithTextCode: textCodeErrorSchema,
  OAuthError: oauthErrorSchema,
  Empty: exactly({}),
  /** The URL of a redirect. */
  Destination: exactly({ url: text }),
  /** The id in the outbox; a fixed one for a test number. */
  SentMessage: exactly({ message_id: text }),
  /** One of two addresses has confirmed a change. */
  HalfConfirmed: exactly({ msg: text, code: { const: '200' } }),
  Factors: { type: 'array', items: { $ref: '#/components/schemas/Factor' } },
  EnrolledFactor: {
    type: 'object',
    properties: {
      id: uuid,
      type: { enum: challengedFactorTypes },
      friendly_name: text,
      phone: text,
      totp: exactly({
        qr_code: { type: 'string', description: 'An SVG document.' },
        secret: { type: 'string', description: 'In base32.' },
        uri: text,
      }),
    },
    required: ['id', 'type', 'friendly_name'],
    additionalProperties: false,
  },
  FactorChallenge: {
    type: 'object',
    properties: {
      id: uuid,
      type: { enum: challengedFactorTypes },
      expires_at: expiresAt,
      webauthn: {
        oneOf: [
          keyCeremony('create', creationOptions({ authenticatorSelection: exactly({}) })),
          keyCeremony('request', requestOptions({ allowCredentials: credentials })),
        ],
      },
    },
    required: ['id', 'type', 'expires_at'],
    additionalProperties: false,
  },
  Passkey: passkeySchema,
  Passkeys: { type: 'array', items: { $ref: '#/components/schemas/Passkey' } },
  PasskeyRegistration: exactly({
    challenge_id: uuid,
    expires_at: expiresAt,
    options: creationOptions({
      authenticatorSelection: exactly({
        residentKey: { const: 'required' },
        requireResidentKey: { const: true },
        userVerification: { const: 'required' },
      }),
      attestation: { const: 'none' },
    }),
  }),
  PasskeyAuthentication: exactly({
    challenge_id: uuid,
    expires_at: expiresAt,
    options: requestOptions({ userVerification: { const: 'required' } }),
  }),
  RecoveryCodesStatus: exactly({
    id: uuid,
    type: { const: 'recovery_code' },
    total: { type: 'integer' },
    remaining: { type: 'integer', description: 'The unused ones.' },
  }),
  RecoveryCodes: exactly({
    id: uuid,
    type: { const: 'recovery_code' },
    friendly_name: text,
    total: { type: 'integer' },
    codes: { type: 'array', items: text, description: 'Returned only once.' },
  }),
  UnenrolledFactor: exactly({ id: uuid }),
  Users: exactly({
    users: { type: 'array', items: { $ref: '#/components/schemas/User' } },
    aud: text,
  }),
  Decision: decisionSchema,
  Decisions: { type: 'array', items: { $ref: '#/components/schemas/Decision' } },
  AuditEntries: { type: 'array', items: { $ref: '#/components/schemas/AuditEntry' } },
  GeneratedLink: {
    type: 'object',
    properties: {
      ...userSchema.properties,
      action_link: text,
      email_otp: text,
      hashed_token: text,
      verification_type: text,
      redirect_to: text,
    },
    required: [
      ...userSchema.required,
      'action_link',
      'email_otp',
      'hashed_token',
      'verification_type',
      'redirect_to',
    ],
    additionalProperties: false,
  },
} as const satisfies Record<string, JsonSchema>

export type SchemaName = keyof typeof wireSchemas
