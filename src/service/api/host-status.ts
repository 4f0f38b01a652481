import { AuthError, type AuthErrorCode } from '../../platform/errors/auth-error.ts'

/** Errors of a token without a signed-in user; a new sign-in helps. A ban is not one of them. */
const unauthenticated: ReadonlySet<AuthErrorCode> = new Set([
  'bad_jwt',
  'session_not_found',
  'session_expired',
  'user_not_found',
])

/**
 * Changes the status of a token without a signed-in user to 401, for a host's own endpoint. The
 * wire has 403, as its clients expect. The code stays the same.
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
