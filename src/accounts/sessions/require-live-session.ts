import type { AuthError } from '../../platform/errors/auth-error.ts'
import { subjectNotFound, userBanned } from '../users/user-errors.ts'
import type { TokenEnding } from './session-ending.sql.ts'
import { sessionNoLongerValid, sessionNotFound } from './session-errors.ts'

const errors: Record<TokenEnding, () => AuthError> = {
  deleted: subjectNotFound,
  unknown: sessionNotFound,
  banned: userBanned,
  revoked: sessionNotFound,
  expired: sessionNoLongerValid,
  inactive: sessionNoLongerValid,
  weak: sessionNoLongerValid,
  superseded: sessionNoLongerValid,
}

/**
 * Rejects a token whose session or user has ended, though the token itself has not expired.
 *
 * @throws AuthError `user_not_found`, `session_not_found`, `user_banned`, `session_expired` (403).
 */
export function requireLiveSession(ending: TokenEnding | null): void {
  if (ending !== null) throw errors[ending]()
}
