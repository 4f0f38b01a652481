import type { Endpoint } from '../http/endpoint.ts'
import { anyone } from '../http/guards.ts'
import { exactly } from '../http/wire-schemas.ts'

const text = { type: 'string' } as const

const readiness = exactly({
  database: { const: 'ok' },
  migrations: { const: 'ok' },
  keys: { const: 'ok' },
  connections: {
    ...exactly({
      open: { type: 'integer' },
      ceiling: {
        type: ['integer', 'null'],
        description: 'The maximum that this process may open; `null` until they are counted.',
      },
    }),
    type: ['object', 'null'],
    description: 'Connections of this process to the database; `null` for an embedded one.',
  },
  replica: {
    type: ['string', 'null'],
    enum: ['ok', 'behind', 'unreachable', null],
    description:
      'Whether the replica is read; `null` without one, and before it is checked. While it is not `ok`, the primary is read.',
  },
  workers: {
    ...exactly({ count: { type: 'integer' }, ready: { type: 'integer' } }),
    type: ['object', 'null'],
    description:
      'Processes of `latchkey serve --workers`, and those that accept requests; `null` for a single one.',
  },
})

const settings = exactly({
  external: { type: 'object', additionalProperties: { type: 'boolean' } },
  disable_signup: { type: 'boolean' },
  autoconfirm: { type: 'boolean' },
  mailer_autoconfirm: { type: 'boolean' },
  phone_autoconfirm: { type: 'boolean' },
  sms_provider: text,
  saml_enabled: { type: 'boolean' },
  saml_private_key_next_configured: { type: 'boolean' },
  passkeys_enabled: { type: 'boolean' },
})

const status = { method: 'GET', guards: [anyone], errors: [] } as const

export const healthEndpoint = {
  ...status,
  path: '/health',
  summary: 'Reports whether the service responds. The database is not queried.',
  answers: {
    200: { name: 'Health', schema: exactly({ version: text, name: text, description: text }) },
  },
} as const satisfies Endpoint

export const readyEndpoint = {
  ...status,
  path: '/ready',
  summary: 'Reports whether requests can be served: checks database, migrations and keys.',
  answers: { 200: { name: 'Readiness', schema: readiness } },
} as const satisfies Endpoint

export const settingsEndpoint = {
  ...status,
  path: '/settings',
  summary: 'Returns the settings that a sign-in page needs.',
  answers: { 200: { name: 'Settings', schema: settings } },
} as const satisfies Endpoint

export const jwksEndpoint = {
  ...status,
  path: '/.well-known/jwks.json',
  summary: 'Returns the keys that verify access tokens.',
  answers: {
    200: {
      name: 'KeySet',
      schema: exactly({ keys: { type: 'array', items: { type: 'object' } } }),
    },
  },
} as const satisfies Endpoint
