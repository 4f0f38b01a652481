import type { AccessTokenClaims } from '../../credentials/access-tokens/claims.ts'
import { isAboutUser } from '../../credentials/access-tokens/token-subject.ts'
import type { AuthContext } from '../auth-context.ts'
import { stepUpNeededToOperate } from '../sessions/session-errors.ts'
import { type Caller, needsFactorProof, requireCaller } from './authenticate-caller.ts'
import { requireAdminRole, requireServiceRole, verifyBearer } from './identify-bearer.ts'
import { requireRecentProof } from './recent-proof.ts'

/**
 * An operator: the bearer of a token with one of the configured roles, or a user with such a role.
 */
export interface Admin {
  role: string
  /**
   * The user who operates. Absent or null for host code and for a token that was issued for
   * administration.
   */
  caller?: Caller | null
}

/** The operator in the audit log where the host's own code acts. */
export const hostCode: Admin = { role: 'host' }

/** An operator, and the user where there is one. */
export interface Operator extends Admin {
  /** Null for a token that was issued for administration, which has no user. */
  caller: Caller | null
}

/**
 * Requires an operator. A token issued for administration has neither user nor session: its own
 * role is checked, without a query. For a token of a user, the user and the session have to be
 * live, as for any other request. The present role of the user is checked, and `aal2` where the
 * user has a second factor.
 *
 * @throws AuthError `bad_jwt`, `not_admin`, `insufficient_aal`, `session_expired` (403), and the
 *   errors of {@link requireCaller} for a token of a user.
 */
export const requireAdmin = async (
  ctx: AuthContext,
  claims: AccessTokenClaims,
): Promise<Operator> =>
  isAboutUser(claims)
    ? requireUserWhoOperates(ctx, claims)
    : { role: requireServiceRole(ctx, claims), caller: null }

/**
 * Requires an operator by a token that is not verified yet.
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
 * Rejects an operator who adds, replaces or removes own credentials without a recent proof of a
 * factor, as the endpoints of users do. Credentials of other users require none.
 *
 * @throws AuthError as {@link requireRecentProof}.
 */
export function requireMayChangeCredentials(
  ctx: Pick<AuthContext, 'clock' | 'config'>,
  { caller }: Admin,
  userId: string,
): void {
  if (!caller || caller.user.id !== userId) return
  requireRecentProof(ctx, caller, { insufficientAal: stepUpNeededToOperate })
}

/** Returns the role of a user who is an operator. */
async function requireUserWhoOperates(
  ctx: AuthContext,
  claims: AccessTokenClaims,
): Promise<Operator> {
  const caller = await requireCaller(ctx, claims)
  const { user, session } = caller
  const role = requireAdminRole(ctx, user.role)
  // A token without a session was issued separately, perhaps for another party: its role may be
  // lower than the user's.
  if (session === null) requireAdminRole(ctx, claims.role)
  if (needsFactorProof(caller)) throw stepUpNeededToOperate()
  return { role, caller }
}
