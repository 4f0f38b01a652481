import { AuthError, type AuthErrorCode } from '../../platform/errors/auth-error.ts'

/** Nobody is signed in with this token: to sign in anew helps. A ban is no such thing. */
const unauthenticated: ReadonlySet<AuthErrorCode> = new Set([
  'bad_jwt',
  'session_not_found',
  'session_expired',
  'user_not_found',
])

/**
 * What a host's own endpoint answers for a token that proves nobody: 401. The wire says 403, as its
 * clients know it. The code stays the same.
 *
 * @see RFC 6750 §3.1 `invalid_token`
 */
export async function withHostStatus<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof AuthError) || !unauthenticated.has(error.code)) throw error
    const { code, message, details, cause } = error
    throw new AuthError(code, 401, message, details, { cause })
  }
}
