import type { AccessTokenClaims } from '../../credentials/access-tokens/claims.ts'
import { includesScope } from '../users/granted-user.ts'

/**
 * Returns the claims of a token of an OAuth client. It has the claims of other tokens; those of
 * scopes that the user did not grant are empty, as those of a user without the data. A token for a
 * resource contains no data of the user but the id: the resource is another party.
 *
 * @param access the scope, separated by spaces, and the resource.
 * @see RFC 9068 §2.2, OpenID Connect Core 1.0 §5.4
 */
export function grantedClaims<Claims extends AccessTokenClaims>(
  claims: Claims,
  { scope, resource }: { scope: string; resource: string | null },
): Claims {
  const { email, phone, app_metadata, user_metadata, ...rest } = claims
  if (resource !== null) return rest as Claims
  return {
    ...claims,
    ...(email !== undefined && !includesScope(scope, 'email') && { email: '' }),
    ...(phone !== undefined && !includesScope(scope, 'phone') && { phone: '' }),
    ...(user_metadata !== undefined && !includesScope(scope, 'profile') && { user_metadata: {} }),
  }
}
