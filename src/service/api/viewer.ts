import type { Deps } from '../../accounts/auth-context.ts'
import { isAtAal2, requireCaller } from '../../accounts/callers/authenticate-caller.ts'
import { verifyBearer } from '../../accounts/callers/identify-bearer.ts'
import { nextProof } from '../../accounts/callers/recent-proof.ts'
import type { AuthenticatorAssuranceLevel } from '../../accounts/sessions/assurance.ts'
import { hasVerifiedFactor, type User } from '../../accounts/users/user.ts'
import type { AccessTokenClaims } from '../../credentials/access-tokens/claims.ts'
import { sharedClaims } from '../../credentials/access-tokens/verified-token-cache.ts'
import { requireAudience } from '../../credentials/access-tokens/verify-access-token.ts'
import { openCall } from './call-options.ts'
import { requireStepUp, type StepUp } from './step-up.ts'

/** Who sent a request. */
export interface Viewer {
  user: User
  /** Null for a token that names no session. */
  sessionId: string | null
  /**
   * How strongly the session is proved at this moment: `aal2` where the token says so and the
   * factor that it was proved by was not removed since.
   */
  aal: AuthenticatorAssuranceLevel
  /**
   * What the access token says, which may have changed since: the role and address of now are the
   * user's.
   */
  claims: AccessTokenClaims
}

/**
 * The user that a token is about, as stored at this moment. The token has to be for the
 * application's own audience, as where no database is asked: our endpoints also serve users of
 * others, the host's do not. Whoever is not proved as strongly or as recently as the host asks for
 * is refused, without another query.
 *
 * @internal
 */
export async function requireViewer(deps: Deps, token: string, stepUp: StepUp): Promise<Viewer> {
  const ctx = openCall(deps)
  const claims = await verifyBearer(ctx, token)
  requireAudience(claims, deps.config.jwt.audience)
  const caller = await requireCaller(ctx, claims)
  const { user, session } = caller
  const isStrong = isAtAal2(caller)
  const hasFactor = hasVerifiedFactor(user)
  const shown = { claims, isStrong, hasFactor, nextProof: nextProof(caller) }
  requireStepUp(stepUp, shown, ctx.clock.now())
  return {
    user: user,
    sessionId: session?.id ?? null,
    aal: isStrong ? 'aal2' : 'aal1',
    claims: sharedClaims(claims),
  }
}
