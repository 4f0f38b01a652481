import { badJwt, insufficientScope } from './access-token-errors.ts'
import type { AccessTokenClaims } from './claims.ts'

/** The tokens that an operation accepts. */
export interface AcceptedCaller {
  /**
   * Whether tokens of OAuth clients are accepted. Default: only tokens of the user's own sessions.
   */
  acceptsClients?: boolean | undefined
}

/**
 * Rejects the token of an OAuth client, unless it is accepted. Whatever its scopes, a client
 * manages no account and no consent.
 *
 * @throws AuthError `insufficient_scope` (403), `bad_jwt` (403) for a token that is bound to a key.
 */
export function requireOwnToken(
  { client_id: clientId, cnf }: AccessTokenClaims,
  { acceptsClients = false }: AcceptedCaller = {},
): void {
  // A token that is bound to a key requires a proof, which only `/oauth/userinfo` accepts.
  if (cnf !== undefined) throw badJwt('token is bound to a key')
  if (clientId !== undefined && !acceptsClients) throw insufficientScope()
}
