import { isUuid, nilUuid } from '../../platform/kit/uuid.ts'
import { badClaim, badJwt, insufficientScope } from './access-token-errors.ts'
import { type AccessTokenClaims, isForResource } from './claims.ts'

/** The user and session of a token. */
export interface TokenSubject {
  userId: string
  sessionId: string | null
}

/**
 * Returns whether a token contains a user or a session. A token for administration contains
 * neither.
 */
export const isAboutUser = ({ sub, session_id: sessionId }: AccessTokenClaims): boolean =>
  sessionId !== undefined || isUuid(sub)

/**
 * Returns the user and session of a token.
 *
 * @throws AuthError `bad_jwt` when it contains no user, as an operator's token and that of an OAuth
 *   client itself.
 */
export function readSubject({
  sub,
  client_id: clientId,
  session_id: sessionId,
}: AccessTokenClaims): TokenSubject {
  if (!sub) throw badClaim('missing sub claim')
  if (sub === clientId) throw badClaim('sub claim is an OAuth client')
  if (typeof sub !== 'string' || !isUuid(sub)) throw badClaim('sub claim must be a UUID', 400)
  if (sessionId === undefined || sessionId === '' || sessionId === nilUuid) {
    return { userId: sub, sessionId: null }
  }
  if (typeof sessionId !== 'string' || !isUuid(sessionId)) {
    throw badClaim('session_id claim must be a UUID')
  }
  return { userId: sub, sessionId }
}

/** The tokens that an operation accepts. */
export interface AcceptedCaller {
  /**
   * Whether tokens of OAuth clients are accepted. Default: only tokens of the user's own sessions.
   */
  acceptsClients?: boolean | undefined
}

/**
 * Rejects the token of an OAuth client, unless it is accepted, and any for a resource. Whatever its
 * scopes, a client manages no account and no consent.
 *
 * @throws AuthError `insufficient_scope` (403), `bad_jwt` (403) for a token that is bound to a key.
 */
export function requireOwnToken(
  claims: AccessTokenClaims,
  { acceptsClients = false }: AcceptedCaller = {},
): void {
  // A token that is bound to a key requires a proof, which only `/oauth/userinfo` accepts.
  if (claims['cnf'] !== undefined) throw badJwt('token is bound to a key')
  if (claims.client_id !== undefined && !acceptsClients) throw insufficientScope()
  // Its audience may equal that of a user.
  if (isForResource(claims)) throw insufficientScope('A token for a resource is not accepted here')
}
