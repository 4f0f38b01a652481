import type { Endpoint } from '../../../endpoints/http/endpoint.ts'
import { offeredIf, operator } from '../../../endpoints/http/guards.ts'
import { Whole } from '../../../platform/http/inputs.ts'
import { requireOauthServer } from '../protocol/oauth-errors.ts'
import { operatorClientFields } from './client-fields.ts'
import type { ListOauthClientsInput } from './oauth-client.ts'
import { clientListSchema, clientSchema, newClientSchema } from './present-client.ts'

const clients = {
  guards: [offeredIf(requireOauthServer), operator],
} as const

export const createClientEndpoint = {
  ...clients,
  method: 'POST',
  path: '/admin/oauth/clients',
  inCode: 'auth.admin.oauth.createClient',
  summary: 'Creates an OAuth client. The response contains its secret, where it has one.',
  body: operatorClientFields,
  answers: { 201: newClientSchema },
  errors: ['feature_disabled'],
} as const satisfies Endpoint

export const listClientsEndpoint = {
  ...clients,
  method: 'GET',
  path: '/admin/oauth/clients',
  inCode: 'auth.admin.oauth.listClients',
  summary: 'Lists the OAuth clients by pages, the newest first.',
  query: { page: Whole, perPage: Whole },
  answers: { 200: clientListSchema },
  errors: ['feature_disabled'],
} as const satisfies Endpoint<ListOauthClientsInput>

export const getClientEndpoint = {
  ...clients,
  method: 'GET',
  path: '/admin/oauth/clients/{client_id}',
  inCode: 'auth.admin.oauth.getClient',
  summary: 'Returns an OAuth client.',
  answers: { 200: clientSchema },
  errors: ['feature_disabled', 'oauth_client_not_found'],
} as const satisfies Endpoint

export const updateClientEndpoint = {
  ...clients,
  method: 'PUT',
  path: '/admin/oauth/clients/{client_id}',
  inCode: 'auth.admin.oauth.updateClient',
  summary: 'Changes the metadata of an OAuth client.',
  body: operatorClientFields,
  answers: { 200: clientSchema },
  errors: ['conflict', 'feature_disabled', 'oauth_client_not_found'],
} as const satisfies Endpoint

export const deleteClientEndpoint = {
  ...clients,
  method: 'DELETE',
  path: '/admin/oauth/clients/{client_id}',
  inCode: 'auth.admin.oauth.deleteClient',
  summary: 'Deletes an OAuth client. Its sessions end.',
  answers: { 204: null },
  errors: ['feature_disabled', 'oauth_client_not_found'],
} as const satisfies Endpoint

export const regenerateSecretEndpoint = {
  ...clients,
  method: 'POST',
  path: '/admin/oauth/clients/{client_id}/regenerate_secret',
  inCode: 'auth.admin.oauth.regenerateClientSecret',
  summary: 'Replaces the secret of an OAuth client.',
  answers: { 200: newClientSchema },
  errors: ['conflict', 'feature_disabled', 'oauth_client_not_found'],
} as const satisfies Endpoint
