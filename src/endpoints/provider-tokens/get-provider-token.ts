import type { AuthContext } from '../../accounts/auth-context.ts'
import { type Caller, needsStepUp } from '../../accounts/callers/authenticate-caller.ts'
import { strongSessionNeededForToken } from '../../accounts/sessions/session-errors.ts'
import {
  identityNotFound,
  openAccessToken,
  providerTokenNotFound,
} from '../../accounts/users/provider-token.ts'
import { findProviderToken } from '../../accounts/users/provider-tokens.sql.ts'
import { isInUse, type User } from '../../accounts/users/user.ts'
import type { ProviderAccessToken } from '../../platform/config/sections/provider-definition.ts'
import { isDue, renewProviderToken } from './renew-provider-token.ts'

/**
 * Returns the caller's access token at a provider.
 *
 * @throws AuthError `insufficient_aal` (403) for a user who has a second factor and has not proved
 *   it, and the errors of {@link getProviderToken}.
 */
export async function getOwnProviderToken(
  ctx: AuthContext,
  caller: Caller,
  provider: string,
): Promise<ProviderAccessToken> {
  if (needsStepUp(caller)) throw strongSessionNeededForToken()
  return getProviderToken(ctx, caller.user, provider)
}

/**
 * Returns a user's access token at a provider, renewed where it is about to expire.
 *
 * Renewal does not use the host's transaction: a rollback would lose a refresh token that the
 * provider has replaced.
 *
 * @throws AuthError `validation_failed` (400) for an unknown provider, `identity_not_found`,
 *   `provider_token_not_found` (404), `provider_token_expired` (403), `service_unavailable` (503).
 */
export async function getProviderToken(
  ctx: AuthContext,
  { id: userId, identities }: User,
  name: string,
): Promise<ProviderAccessToken> {
  const { provider, settings } = await ctx.providers.require(name)
  const isOwn = identities.some((one) => one.provider === provider.name && isInUse(one))
  if (!isOwn) throw identityNotFound()
  if (!settings.keepTokens) throw providerTokenNotFound()
  const whose = { userId, provider: provider.name }
  const token = await findProviderToken(ctx.database.sql, whose)
  if (!token) throw providerTokenNotFound()
  if (!isDue(token, ctx.clock.now())) return openAccessToken(ctx.roots, token)
  const { identity_id: id } = token
  return ctx.renewals(id, () => renewProviderToken(ctx, provider, id))
}
