import type { AuthContext } from '../../../accounts/auth-context.ts'
import { endSession } from '../../../accounts/lifecycle/end-session.ts'
import { validationFailed } from '../../../platform/errors/request-errors.ts'
import { isUuid } from '../../../platform/kit/uuid.ts'
import { requireKnownClient } from '../authorize/authorize.ts'
import { opensApplication, withParameters } from '../clients/redirect-uris.ts'
import type { OauthParameters } from '../protocol/parameters.ts'
import { readSignedClaims } from '../protocol/signed-claims.ts'

/**
 * Ends the session of a valid ID token, which may have expired. Without one, or with a redirect URI
 * that is not registered, nothing ends and no browser is redirected.
 *
 * @returns the URL that the browser is redirected to; null for none.
 * @throws AuthError `validation_failed`, `oauth_client_not_found` (400).
 */
export async function endSessionOfIdToken(
  ctx: AuthContext,
  parameters: OauthParameters,
): Promise<string | null> {
  const hint = parameters('id_token_hint')
  const claims = hint === undefined ? null : await readSignedClaims(ctx.keys, hint)
  const clientId = claims && [claims.aud].flat().at(0)
  // An access token names its client in another claim.
  if (!claims || typeof clientId !== 'string' || claims.client_id !== undefined) {
    throw validationFailed('id_token_hint: has to be an ID token of this service')
  }
  const stated = parameters('client_id')
  if (stated !== undefined && stated !== clientId) {
    throw validationFailed('client_id: differs from that of id_token_hint')
  }
  const client = await requireKnownClient(ctx, clientId)
  const target = parameters('post_logout_redirect_uri')
  if (target !== undefined && !client.postLogoutRedirectUris.includes(target)) {
    throw validationFailed('post_logout_redirect_uri: is not registered')
  }
  const { sub, sid } = claims
  if (isUuid(sub) && isUuid(sid)) {
    const actor = { ownerId: sub, actorId: sub, traits: { client_id: clientId } }
    await endSession(ctx, { ...actor, sessionId: sid, reason: 'sign_out' })
  }
  // The ID token may be one of an attacker's own sign-in, in a link for another user.
  const mayLead = client.registrationType === 'manual' || !opensApplication(target ?? '')
  return target === undefined || !mayLead
    ? null
    : withParameters(target, { state: parameters('state') })
}
