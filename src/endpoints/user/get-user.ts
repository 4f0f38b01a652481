import type { AuthContext } from '../../accounts/auth-context.ts'
import { requireCallerRow } from '../../accounts/callers/authenticate-caller.ts'
import { grantedUser } from '../../accounts/users/granted-user.ts'
import type { UserRow } from '../../accounts/users/user-row.ts'
import type { AccessTokenClaims } from '../../credentials/access-tokens/claims.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'

/**
 * Returns the signed-in user, as stored; to an OAuth client, the data of the scopes that the user
 * granted.
 *
 * @param requestedAudience the audience of the request; the token must be for it.
 * @throws AuthError as `requireCaller`, and `validation_failed` when the audiences differ.
 */
export async function getUser(
  ctx: AuthContext,
  claims: AccessTokenClaims,
  requestedAudience?: string | null,
): Promise<UserRow> {
  const { user, session } = await requireCallerRow(ctx, claims, { acceptsClients: true })
  const [audience] = [claims.aud].flat()
  if (!audience || (requestedAudience && requestedAudience !== audience)) {
    throw validationFailed("Token audience doesn't match request audience")
  }
  const isOfClient = claims.client_id !== undefined || (session?.oauth_client_id ?? null) !== null
  return isOfClient ? grantedUser(user, commonScope(claims, session?.scopes)) : user
}

/** Returns the scopes of a token that its session still has. */
function commonScope({ scope = '' }: AccessTokenClaims, ofSession: string | null = ''): string {
  const granted = (ofSession ?? '').split(' ')
  return scope
    .split(' ')
    .filter((name) => granted.includes(name))
    .join(' ')
}
