import type { OauthClient, OauthClientWithSecret } from './oauth-client.ts'

/** Builds the wire form of a client. */
export const presentClient = (client: OauthClient): Record<string, unknown> => ({
  client_id: client.clientId,
  client_type: client.clientType,
  redirect_uris: client.redirectUris,
  token_endpoint_auth_method: client.tokenEndpointAuthMethod,
  grant_types: client.grantTypes,
  response_types: ['code'],
  client_name: client.clientName ?? undefined,
  client_uri: client.clientUri ?? undefined,
  logo_uri: client.logoUri ?? undefined,
  jwks: client.jwks ?? undefined,
  jwks_uri: client.jwksUri ?? undefined,
  post_logout_redirect_uris:
    client.postLogoutRedirectUris.length > 0 ? client.postLogoutRedirectUris : undefined,
  backchannel_logout_uri: client.backchannelLogoutUri ?? undefined,
  backchannel_logout_session_required:
    client.backchannelLogoutUri === null ? undefined : client.backchannelLogoutSessionRequired,
  allowed_scopes: client.allowedScopes ?? undefined,
  registration_type: client.registrationType,
  created_at: client.createdAt,
  updated_at: client.updatedAt,
})

/** Builds the wire form of a client with its new secret. @see RFC 7591 §3.2.1 */
export const presentNewClient = (client: OauthClientWithSecret): Record<string, unknown> => ({
  ...presentClient(client),
  client_id_issued_at: Math.floor(client.createdAt.getTime() / 1000),
  ...(client.clientSecret !== null && {
    client_secret: client.clientSecret,
    client_secret_expires_at: 0,
  }),
})
