import type { H3Event } from 'h3'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { hashOfRequestUri, requestUriPrefix } from './authorizations.sql.ts'
import { readAuthorizationRequest } from './authorize.ts'
import { insertAuthorization } from './insert-authorization.sql.ts'
import { invalidRequest } from './oauth-errors.ts'
import type { OauthParameters } from './parameters.ts'
import { isRedirectOf } from './redirect-uris.ts'
import { authenticateClient } from './resolve-credentials.ts'

/** The time in which the browser has to submit a request URI. */
const lifetimeSeconds = 90

/**
 * Stores a request that an authenticated client pushes.
 *
 * @throws AuthError as the authorization endpoint, and `invalid_client`.
 * @see RFC 9126 §2
 */
export async function pushRequest(
  ctx: AuthContext,
  event: H3Event,
  parameters: OauthParameters,
): Promise<{ requestUri: string; expiresInSeconds: number }> {
  const client = await authenticateClient(ctx, event, parameters)
  if (parameters('request_uri') !== undefined) {
    throw invalidRequest('request_uri cannot be pushed')
  }
  const redirectUri = parameters('redirect_uri')
  if (redirectUri === undefined || !isRedirectOf(client.redirectUris, redirectUri)) {
    throw invalidRequest('invalid redirect_uri')
  }
  const request = await readAuthorizationRequest(ctx, client, redirectUri, parameters)
  const requestUri = `${requestUriPrefix}${ctx.random.hex(32)}`
  await insertAuthorization(ctx, {
    id: ctx.random.hex(16),
    client,
    request,
    status: 'pushed',
    secretHash: hashOfRequestUri(requestUri),
    lifetimeSeconds,
  })
  return { requestUri, expiresInSeconds: lifetimeSeconds }
}
