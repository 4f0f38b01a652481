import type { H3Event } from 'h3'
import type { AuthContext } from '../../../accounts/auth-context.ts'
import { isRedirectOf } from '../clients/redirect-uris.ts'
import { authenticateClient } from '../clients/resolve-credentials.ts'
import { verifyProof } from '../protocol/dpop.ts'
import { invalidRequest, oauthError } from '../protocol/oauth-errors.ts'
import type { OauthParameters } from '../protocol/parameters.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { hashOfRequestUri, requestUriPrefix } from './authorizations.sql.ts'
import { readAuthorizationRequest } from './authorize.ts'
import { insertAuthorization } from './insert-authorization.sql.ts'

/** The time in which the browser has to submit a request URI. */
const lifetimeSeconds = 90

/**
 * Stores a request that an authenticated client pushes. A proof of a key binds the code of the
 * request to this key.
 *
 * @throws AuthError as the authorization endpoint, `invalid_client` and `invalid_dpop_proof`.
 * @see RFC 9126 §2, RFC 9449 §10.1
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
  const keyThumbprint = await verifyProof(ctx, event, { method: 'POST', path: '/oauth/par' })
  const requestUri = `${requestUriPrefix}${ctx.random.hex(32)}`
  await insertAuthorization(ctx, {
    id: ctx.random.hex(16),
    client,
    request: boundTo(request, keyThumbprint),
    status: 'pushed',
    secretHash: hashOfRequestUri(requestUri),
    lifetimeSeconds,
  })
  return { requestUri, expiresInSeconds: lifetimeSeconds }
}

function boundTo(
  request: AuthorizationRequest,
  keyThumbprint: string | null,
): AuthorizationRequest {
  if (keyThumbprint === null) return request
  const { dpop_jkt: stated = keyThumbprint } = request
  if (stated !== keyThumbprint) {
    throw oauthError('invalid_dpop_proof', 'The DPoP proof is signed by another key than dpop_jkt')
  }
  return { ...request, dpop_jkt: keyThumbprint }
}
