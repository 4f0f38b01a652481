import type { AccessTokenClaims } from '../access-tokens/claims.ts'
import { sharedClaims } from '../access-tokens/token-memory.ts'
import type { Deps } from '../deps.ts'
import { authenticateCaller } from '../steps/authenticate-caller.ts'
import type { Account } from '../users/account.ts'
import { openCall } from './call-options.ts'

/** Who sent a request. */
export interface Viewer {
  user: Account
  /** Null for a token that names no session. */
  sessionId: string | null
  /** What the access token says. */
  claims: AccessTokenClaims
}

/**
 * The user that a token is about, as stored at this moment.
 *
 * @internal
 */
export async function requireViewer(deps: Deps, token: string): Promise<Viewer> {
  const { account, session, claims } = await authenticateCaller(openCall(deps), token)
  return { user: account, sessionId: session?.id ?? null, claims: sharedClaims(claims) }
}
