import { AuthError } from '../../platform/errors/auth-error.ts'
import type { Caller } from './authenticate-caller.ts'

/**
 * Rejects anonymous users, who have no first factor. Token and stored user both have to be
 * permanent: a user who adds an address gets a new token, and a token of another issuer may lack
 * the claim.
 *
 * @throws AuthError `no_authorization` (403).
 */
export function requirePermanentUser({ claims, user }: Caller): void {
  if (claims.is_anonymous !== true && !user.isAnonymous) return
  throw new AuthError(
    'no_authorization',
    403,
    'Anonymous user not allowed to perform these actions',
  )
}
