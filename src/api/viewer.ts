import type { AccessTokenClaims } from '../access-tokens/claims.ts'
import { sharedClaims } from '../access-tokens/token-memory.ts'
import { requireAudience } from '../access-tokens/verify-access-token.ts'
import type { Deps } from '../deps.ts'
import { believeToken, requireCaller } from '../steps/authenticate-caller.ts'
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
 * The user that a token is about, as stored at this moment. The token has to be for the application's own
 * audience, as where no database is asked: our endpoints also serve users of others, the host's do not.
 *
 * @internal
 */
export async function requireViewer(deps: Deps, token: string): Promise<Viewer> {
  const ctx = openCall(deps)
  const claims = await believeToken(ctx, token)
  requireAudience(claims, deps.config.jwt.audience)
  const { account, session } = await requireCaller(ctx, claims)
  return { user: account, sessionId: session?.id ?? null, claims: sharedClaims(claims) }
}
