import type { AccessTokenClaims } from '../access-tokens/claims.ts'
import { isAboutUser } from '../access-tokens/token-subject.ts'
import { requireAudience } from '../access-tokens/verify-access-token.ts'
import type { AuthContext } from '../deps.ts'
import { strongSessionNeededToOperate } from '../sessions/session-errors.ts'
import { notAdmin } from '../users/user-errors.ts'
import { type Caller, needsStepUp, requireCaller, verifyBearer } from './authenticate-caller.ts'
import { requireLiveSession } from './require-live-session.ts'

/** An operator: whoever holds a token with one of the configured roles, or is a user who has one. */
export interface Admin {
  role: string
}

/** An operator, and which user that is. */
export interface Operator extends Admin {
  /** Null for a token that was made for administration, and is about nobody. */
  caller: Caller | null
}

/**
 * Finds out whether an operator asks. A token made for administration has neither user nor session: its
 * own role counts, and no database is asked. One that is about a user counts while that user and session
 * could ask for anything else, by the role that the user has now, and at `aal2` where the user has a
 * second factor.
 *
 * @throws AuthError `no_authorization` (401), `bad_jwt`, `not_admin`, `insufficient_aal`,
 *   `session_expired` (403), and what {@link requireCaller} throws for a token about a user.
 */
export async function authenticateAdmin(ctx: AuthContext, token: string | null): Promise<Admin> {
  const { role } = await authenticateOperator(ctx, token)
  return { role }
}

/**
 * The same, for what depends on who it is.
 *
 * @throws AuthError as {@link authenticateAdmin} does.
 */
export async function authenticateOperator(
  ctx: AuthContext,
  token: string | null,
): Promise<Operator> {
  const claims = await verifyBearer(ctx, token)
  if (isAboutUser(claims)) return requireOperator(ctx, claims)
  requireAudience(claims, ctx.config.jwt.audience)
  return { role: requireAdminRole(ctx, claims.role), caller: null }
}

/** The role of a user who is an operator. */
async function requireOperator(ctx: AuthContext, claims: AccessTokenClaims): Promise<Operator> {
  const caller = await requireCaller(ctx, claims)
  requireLiveSession(ctx, caller)
  const { user, session } = caller
  const role = requireAdminRole(ctx, user.role)
  // Without a session it was made by hand, perhaps to be handed on: it may say less than the role allows.
  if (session === null) requireAdminRole(ctx, claims.role)
  if (needsStepUp(caller)) throw strongSessionNeededToOperate()
  return { role, caller }
}

function requireAdminRole({ config }: AuthContext, role: unknown): string {
  if (typeof role !== 'string' || !config.jwt.adminRoles.includes(role)) throw notAdmin()
  return role
}
