import type { AccessTokenClaims } from '../../credentials/access-tokens/claims.ts'
import type { KeyRing } from '../../credentials/access-tokens/key-ring.ts'
import { verifySignedToken } from '../../credentials/access-tokens/verify-access-token.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'

/**
 * Returns the claims of a token of this service, whether or not it has expired; null for any other
 * text.
 *
 * @throws the error of a service that cannot verify it now.
 */
export async function readSignedClaims(
  keys: KeyRing,
  token: string,
): Promise<AccessTokenClaims | null> {
  try {
    return await verifySignedToken(keys, token)
  } catch (error) {
    if (error instanceof AuthError && error.code === 'bad_jwt') return null
    throw error
  }
}
