import type { OauthClientRow } from '../personal-oauth.ts'
import type { OauthClient } from './oauth-client.ts'

/** Returns a client as stored. */
export const toClient = (row: OauthClientRow): OauthClient => ({
  clientId: row.id,
  clientType: row.client_type,
  registrationType: row.registration_type,
  tokenEndpointAuthMethod: row.auth_method,
  redirectUris: row.redirect_uris,
  grantTypes: row.grant_types,
  clientName: row.client_name,
  clientUri: row.client_uri,
  logoUri: row.logo_uri,
  jwks: row.jwks,
  jwksUri: row.jwks_uri,
  postLogoutRedirectUris: row.post_logout_redirect_uris,
  backchannelLogoutUri: row.backchannel_logout_uri,
  backchannelLogoutSessionRequired: row.backchannel_logout_session_required,
  allowedScopes: row.allowed_scopes,
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
})
