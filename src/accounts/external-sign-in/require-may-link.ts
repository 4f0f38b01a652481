import type { AuthContext } from '../auth-context.ts'
import {
  type Actor,
  type Caller,
  type ProvedCaller,
  requireStoredCaller,
} from '../callers/authenticate-caller.ts'
import { olderProofOf, requireRecentProof } from '../callers/recent-proof.ts'
import { canSignInAgain, requireMayChangeSignIn } from '../callers/recent-sign-in.ts'
import type { Session } from '../sessions/session.ts'
import { sessionNotFound, stepUpNeededToLink } from '../sessions/session-errors.ts'
import type { StoredUser } from '../users/find-user.sql.ts'
import type { User } from '../users/user.ts'
import { manualLinkingDisabled, userSsoManaged } from '../users/user-errors.ts'

/**
 * Rejects linking where the configuration disables it.
 *
 * @throws AuthError `manual_linking_disabled` (404).
 */
export function requireManualLinking({ config }: Pick<AuthContext, 'config'>): void {
  if (!config.security.manualLinkingEnabled) throw manualLinkingDisabled()
}

/**
 * Rejects a change of the identities of a user of single sign-on. Another identity would sign in a
 * person whom the organization has removed.
 *
 * @throws AuthError `user_sso_managed` (422).
 */
export function rejectSsoUser({ isSsoUser }: Pick<User, 'isSsoUser'>): void {
  if (isSsoUser) throw userSsoManaged('Identities of an SSO account are managed via SSO')
}

/**
 * Rejects a caller who may not start to link an identity.
 *
 * @throws AuthError `manual_linking_disabled` (404), and as {@link requireLinkingSession}.
 */
export function requireMayLink(ctx: AuthContext, caller: Caller): Actor & { sessionId: string } {
  requireManualLinking(ctx)
  const { id: sessionId } = requireLinkingSession(ctx, caller)
  return { userId: caller.user.id, sessionId }
}

/**
 * Returns the user who links, as stored now: since the start of the flow the user may have signed
 * out, been banned or enrolled a factor.
 *
 * @throws AuthError `user_not_found`, `user_banned`, `session_expired` (403), and as
 *   {@link requireLinkingSession}.
 */
export async function requireLinker(
  ctx: AuthContext,
  actor: Actor,
): Promise<{ stored: StoredUser; session: Session; provedAt: Date | null }> {
  const { stored, session: found } = await requireStoredCaller(ctx, actor)
  const { user } = stored
  // The callback has no access token: the assurance is that of the session.
  const claims = found ? { aal: found.aal, amr: found.amr } : {}
  const session = requireLinkingSession(ctx, { user, session: found, claims })
  // No other party can own the account of a user who cannot sign in again.
  const provedAt = canSignInAgain(user) ? olderProofOf(ctx, session) : null
  return { stored, session, provedAt }
}

/**
 * Returns the session of a user who may link an identity. Linking ends in a new session, so the
 * user needs one that can be renewed.
 *
 * @throws AuthError `user_sso_managed` (422), `session_not_found`, `insufficient_aal`,
 *   `reauthentication_needed` (403).
 */
function requireLinkingSession(ctx: AuthContext, linker: ProvedCaller): Session {
  rejectSsoUser(linker.user)
  if (!linker.session) throw sessionNotFound()
  requireRecentProof(ctx, linker, { insufficientAal: stepUpNeededToLink })
  requireMayChangeSignIn(ctx, linker)
  return linker.session
}
