import type { AuthContext } from '../../accounts/auth-context.ts'
import { requireCallerRow } from '../../accounts/callers/authenticate-caller.ts'
import type { UserRow } from '../../accounts/users/user-row.ts'
import type { AccessTokenClaims } from '../../credentials/access-tokens/claims.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'

/**
 * Returns the signed-in user, as stored.
 *
 * @param requestedAudience the audience of the request; the token must be for it.
 * @throws AuthError as `requireCaller`, and `validation_failed` when the audiences differ.
 */
export async function getUser(
  ctx: AuthContext,
  claims: AccessTokenClaims,
  requestedAudience?: string | null,
): Promise<UserRow> {
  const { user } = await requireCallerRow(ctx, claims, { acceptsClients: true })
  const [audience] = [claims.aud].flat()
  if (!audience || (requestedAudience && requestedAudience !== audience)) {
    throw validationFailed("Token audience doesn't match request audience")
  }
  return user
}
