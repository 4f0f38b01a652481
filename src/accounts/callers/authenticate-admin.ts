import type { AccessTokenClaims } from '../../credentials/access-tokens/claims.ts'
import { isAboutUser } from '../../credentials/access-tokens/token-subject.ts'
import type { AuthContext } from '../auth-context.ts'
import { strongSessionNeededToOperate } from '../sessions/session-errors.ts'
import { type Caller, needsStepUp, requireCaller } from './authenticate-caller.ts'
import { requireAdminRole, requireServiceRole, verifyBearer } from './identify-bearer.ts'
import { requireRecentProof } from './recent-proof.ts'

/** An operator: whoever holds a token with one of the configured roles, or is a user who has one. */
export interface Admin {
  role: string
  /** The user who operates. Absent or null for host code and for a token that was made for administration. */
  caller?: Caller | null
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
 * @throws AuthError `bad_jwt`, `not_admin`, `insufficient_aal`, `session_expired` (403), and what {@link requireCaller} throws for a token about a user.
 */
export const requireAdmin = async (
  ctx: AuthContext,
  claims: AccessTokenClaims,
): Promise<Operator> =>
  isAboutUser(claims)
    ? requireUserWhoOperates(ctx, claims)
    : { role: requireServiceRole(ctx, claims), caller: null }

/**
 * The same for a token that was not verified yet.
 *
 * @throws AuthError as {@link requireAdmin} does, `no_authorization` (401) and `bad_jwt`.
 */
export async function authenticateOperator(
  ctx: AuthContext,
  token: string | null,
): Promise<Operator> {
  return requireAdmin(ctx, await verifyBearer(ctx, token))
}

/**
 * Rejects an operator who adds, replaces or removes own credentials without a recent proof of a factor, as the own
 * endpoints of users do. Credentials of other users require none.
 *
 * @throws AuthError as {@link requireRecentProof}.
 */
export function requireMayChangeCredentials(
  ctx: Pick<AuthContext, 'clock' | 'config'>,
  { caller }: Admin,
  userId: string,
): void {
  if (!caller || caller.user.id !== userId) return
  requireRecentProof(ctx, caller, { insufficientAal: strongSessionNeededToOperate })
}

/** The role of a user who is an operator. */
async function requireUserWhoOperates(
  ctx: AuthContext,
  claims: AccessTokenClaims,
): Promise<Operator> {
  const caller = await requireCaller(ctx, claims)
  const { user, session } = caller
  const role = requireAdminRole(ctx, user.role)
  // Without a session it was made by hand, perhaps to be handed on: it may say less than the role allows.
  if (session === null) requireAdminRole(ctx, claims.role)
  if (needsStepUp(caller)) throw strongSessionNeededToOperate()
  return { role, caller }
}
