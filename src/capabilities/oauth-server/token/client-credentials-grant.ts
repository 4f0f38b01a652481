import type { H3Event } from 'h3'
import { signAccessToken } from '../../../credentials/access-tokens/issue-access-token.ts'
import { issuerOf } from '../../../platform/config/issuer-of.ts'
import { scopesIn } from '../../../platform/kit/scopes-in.ts'
import { readResource, readScope } from '../authorize/authorize.ts'
import { authenticateClient, requireGrant } from '../clients/resolve-credentials.ts'
import { oauthError } from '../protocol/oauth-errors.ts'
import type { OauthParameters } from '../protocol/parameters.ts'
import type { TokenRequest } from './token-response.ts'

export const clientCredentialsGrant = 'client_credentials'

/** Scopes about a user, whom a token of a client itself does not have. */
const scopesOfUsers: ReadonlySet<string> = new Set([
  'openid',
  'profile',
  'email',
  'phone',
  'offline_access',
])

/**
 * Issues a token of a client itself. It has no user, role or session, and is not renewed.
 *
 * @throws AuthError `invalid_client`, `unauthorized_client`, `invalid_scope`, `invalid_target`.
 * @see RFC 6749 §4.4
 */
export async function issueToClient(
  { ctx, keyThumbprint }: TokenRequest,
  event: H3Event,
  parameters: OauthParameters,
): Promise<Record<string, unknown>> {
  const client = await authenticateClient(ctx, event, parameters)
  requireGrant(client, clientCredentialsGrant)
  if (client.clientType !== 'confidential' || client.registrationType !== 'manual') {
    throw oauthError('unauthorized_client', 'The client may not use this grant')
  }
  const given = parameters('scope')
  const scope = given === undefined ? '' : readScope(ctx, client, given)
  if (scopesIn(scope).some((one) => scopesOfUsers.has(one))) {
    throw oauthError('invalid_scope', 'A scope concerns a user')
  }
  const resource = readResource(ctx, parameters('resource'))
  const { config, clock, keys, random } = ctx
  const issuedAt = Math.floor(clock.now().getTime() / 1000)
  const claims = {
    iss: issuerOf(config),
    sub: client.clientId,
    client_id: client.clientId,
    aud: resource ?? config.jwt.audience,
    scope,
    iat: issuedAt,
    exp: issuedAt + config.jwt.lifetimeSeconds,
    ...(resource !== undefined && { jti: random.uuid() }),
    ...(keyThumbprint !== null && { cnf: { jkt: keyThumbprint } }),
  }
  return {
    access_token: await signAccessToken(keys, claims),
    token_type: keyThumbprint === null ? 'bearer' : 'DPoP',
    expires_in: config.jwt.lifetimeSeconds,
    scope,
  }
}
