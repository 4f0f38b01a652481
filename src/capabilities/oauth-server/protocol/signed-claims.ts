import type { AuthContext } from '../../../accounts/auth-context.ts'
import { decodeRefreshToken } from '../../../accounts/sessions/refresh-token.ts'
import type { AccessTokenClaims } from '../../../credentials/access-tokens/claims.ts'
import type { KeyRing } from '../../../credentials/access-tokens/key-ring.ts'
import { verifySignedToken } from '../../../credentials/access-tokens/verify-access-token.ts'
import { AuthError } from '../../../platform/errors/auth-error.ts'
import { isUuid } from '../../../platform/kit/uuid.ts'

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

/** A token that a client submits about itself. */
export type PresentedClientToken =
  | { kind: 'refresh'; sessionId: string; counter: number }
  | { kind: 'access'; sessionId: string | null; claims: AccessTokenClaims }

/** Reads a token of this service; null for any other text. Its lifetime is not checked. */
export async function readPresentedToken(
  { roots, keys }: Pick<AuthContext, 'roots' | 'keys'>,
  token: string,
): Promise<PresentedClientToken | null> {
  const refresh = decodeRefreshToken(roots, token)
  if (typeof refresh === 'object') {
    return { kind: 'refresh', sessionId: refresh.sessionId, counter: refresh.counter }
  }
  const claims = await readSignedClaims(keys, token)
  if (!claims || claims.client_id === undefined) return null
  const { session_id } = claims
  return { kind: 'access', sessionId: isUuid(session_id) ? session_id : null, claims }
}
