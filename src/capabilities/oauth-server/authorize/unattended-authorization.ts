import type { AuthContext } from '../../../accounts/auth-context.ts'
import type { Caller } from '../../../accounts/callers/authenticate-caller.ts'
import { opensApplication } from '../clients/redirect-uris.ts'
import { oauthError } from '../protocol/oauth-errors.ts'
import { rejectSilentAuthorization, releaseOpenedAuthorization } from './authorizations.sql.ts'
import { errorRedirect } from './authorize.ts'

/**
 * Ends a request that permits no page, where no user is signed in.
 *
 * @returns the URL of the client, with `login_required`; null for a request that permits pages.
 * @throws AuthError `validation_failed` (400) where the redirect URI opens an application.
 * @see OpenID Connect Core 1.0 §3.1.2.6
 */
export async function rejectWithoutUser(
  ctx: AuthContext,
  authorizationId: string,
): Promise<string | null> {
  const now = ctx.clock.now()
  const request = await rejectSilentAuthorization(ctx.sql, { authorizationId, now })
  if (!request) return null
  const error = oauthError('login_required', 'No user is signed in')
  if (opensApplication(request.redirect_uri)) throw error
  return errorRedirect(ctx, request.redirect_uri, request.state, error)
}

/**
 * Releases a request that the caller opened, for a sign-in of another user.
 *
 * @returns whether it is the request of a device, whose code the other user has to enter.
 */
export async function releaseForOtherUser(
  ctx: AuthContext,
  { user }: Caller,
  authorizationId: string,
): Promise<{ needsUserCode: boolean }> {
  const request = await releaseOpenedAuthorization(ctx.sql, {
    authorizationId,
    userId: user.id,
    now: ctx.clock.now(),
  })
  return { needsUserCode: request?.interval !== undefined }
}
