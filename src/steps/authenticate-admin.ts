import { requireAudience } from '../access-tokens/verify-access-token.ts'
import type { AuthContext } from '../deps.ts'
import { isUuid } from '../kit/uuid.ts'
import { notAdmin } from '../users/user-errors.ts'
import { believeToken, requireCaller } from './authenticate-caller.ts'
import { requireLiveSession } from './require-live-session.ts'

/** An operator: whoever holds a token with one of the configured roles. */
export interface Admin {
  role: string
}

/**
 * Finds out whether an operator asks. A token made for administration has neither user nor session;
 * one that is about a user counts only while that user and session could ask for anything else.
 *
 * @throws AuthError `no_authorization` (401), `bad_jwt` (403), `not_admin` (403), and what
 *   {@link requireCaller} throws for a token about a user.
 */
export async function authenticateAdmin(ctx: AuthContext, token: string | null): Promise<Admin> {
  const claims = await believeToken(ctx, token)
  const isAboutUser = claims.session_id !== undefined || isUuid(claims.sub)
  if (isAboutUser) requireLiveSession(ctx, await requireCaller(ctx, claims))
  else requireAudience(claims, ctx.config.jwt.audience)
  const { role } = claims
  if (typeof role !== 'string' || !ctx.config.jwt.adminRoles.includes(role)) throw notAdmin()
  return { role }
}
