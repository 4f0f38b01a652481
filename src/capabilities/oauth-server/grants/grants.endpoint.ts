import type { Endpoint, NamedSchema } from '../../../endpoints/http/endpoint.ts'
import { offeredIf, user } from '../../../endpoints/http/guards.ts'
import { required, Text } from '../../../platform/http/inputs.ts'
import { instant } from '../../../platform/http/json-schema.ts'
import { clientSummarySchema } from '../clients/present-client.ts'
import { requireOauthServer } from '../protocol/oauth-errors.ts'

const text = { type: 'string' } as const

const grantsSchema: NamedSchema = {
  name: 'OauthGrants',
  schema: {
    type: 'array',
    items: {
      type: 'object',
      properties: {
        client: clientSummarySchema,
        scopes: { type: 'array', items: text },
        granted_at: instant,
      },
      required: ['client', 'scopes', 'granted_at'],
      additionalProperties: false,
    },
  },
}

export const listGrantsEndpoint = {
  method: 'GET',
  path: '/user/oauth/grants',
  summary: 'Lists the access that the signed-in user granted to OAuth clients, the newest first.',
  inCode: 'auth.api.oauth.listGrants',
  guards: [offeredIf(requireOauthServer), user],
  needsRecentProof: false,
  answers: { 200: grantsSchema },
  errors: ['feature_disabled'],
} as const satisfies Endpoint

export const revokeGrantEndpoint = {
  method: 'DELETE',
  path: '/user/oauth/grants',
  summary: 'Ends the access of an OAuth client: its sessions and codes.',
  inCode: 'auth.api.oauth.revokeGrant',
  guards: [offeredIf(requireOauthServer), user],
  needsRecentProof: false,
  query: { clientId: required(Text) },
  answers: { 204: null },
  errors: ['feature_disabled', 'oauth_consent_not_found'],
} as const satisfies Endpoint<{ clientId: string }>
