import { isUuid, nilUuid } from '../../platform/kit/uuid.ts'
import { badClaim } from './access-token-errors.ts'
import type { AccessTokenClaims } from './claims.ts'

/** Whom a token is about. */
export interface TokenSubject {
  userId: string
  sessionId: string | null
}

/** Whether a token names a user or a session. One that was made for administration names neither. */
export const isAboutUser = ({ sub, session_id: sessionId }: AccessTokenClaims): boolean =>
  sessionId !== undefined || isUuid(sub)

/**
 * The user and session that a token names.
 *
 * @throws AuthError `bad_jwt` when it names no user, as an operator's token does not.
 */
export function readSubject({ sub, session_id: sessionId }: AccessTokenClaims): TokenSubject {
  if (!sub) throw badClaim('missing sub claim')
  if (typeof sub !== 'string' || !isUuid(sub)) throw badClaim('sub claim must be a UUID', 400)
  if (sessionId === undefined || sessionId === '' || sessionId === nilUuid) {
    return { userId: sub, sessionId: null }
  }
  if (typeof sessionId !== 'string' || !isUuid(sessionId)) {
    throw badClaim('session_id claim must be a UUID')
  }
  return { userId: sub, sessionId }
}
