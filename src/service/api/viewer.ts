import type { Deps } from '../../accounts/auth-context.ts'
import { aalOf, requireCaller } from '../../accounts/callers/authenticate-caller.ts'
import { verifyBearer } from '../../accounts/callers/identify-bearer.ts'
import { nextProof } from '../../accounts/callers/recent-proof.ts'
import type { AuthenticatorAssuranceLevel } from '../../accounts/sessions/assurance.ts'
import { remainingScopes } from '../../accounts/sessions/session.ts'
import { hasVerifiedFactor, type User } from '../../accounts/users/user.ts'
import { badJwt } from '../../credentials/access-tokens/access-token-errors.ts'
import type { AccessTokenClaims } from '../../credentials/access-tokens/claims.ts'
import { sharedClaims } from '../../credentials/access-tokens/verified-token-cache.ts'
import { requireAudience } from '../../credentials/access-tokens/verify-access-token.ts'
import { openCall } from './call-options.ts'
import { requireScopes, requireStepUp, type StepUp } from './step-up.ts'

/** The user of a request. */
export interface Viewer {
  user: User
  /** Null for a token without a session. */
  sessionId: string | null
  /**
   * The present assurance level of the session: `aal2` where the token contains it and the factor
   * that proved it was not removed since.
   */
  aal: AuthenticatorAssuranceLevel
  /**
   * The claims of the access token. Role and address may have changed since: the present ones are
   * those of `user`. Of the scope, some may have been withdrawn, but not the required ones.
   */
  claims: AccessTokenClaims
}

/**
 * Returns the user of a token, as stored. The token must be for the application's own audience, as
 * without a query: our endpoints also serve users of others, the host's do not. A session without
 * the required assurance is rejected, without another query.
 *
 * @param scopes the scopes that a token of an OAuth client needs; null if none is accepted.
 * @internal
 */
export async function requireViewer(
  deps: Deps,
  token: string,
  stepUp: StepUp,
  scopes: readonly string[] | null = null,
): Promise<Viewer> {
  const ctx = openCall(deps)
  const claims = await verifyBearer(ctx, token)
  requireAudience(claims, deps.config.jwt.audience)
  if (scopes !== null && claims.client_id !== undefined) requireScopes(claims.scope, scopes)
  const caller = await requireCaller(ctx, claims, { acceptsClients: scopes !== null })
  const { user, session } = caller
  // Some may have been withdrawn since the token was issued.
  if (scopes !== null && session?.grant) requireScopes(session.grant.scope, scopes)
  const aal = aalOf(caller)
  const hasFactor = hasVerifiedFactor(user)
  const shown = { claims, isStrong: aal === 'aal2', hasFactor, nextProof: nextProof(caller) }
  requireStepUp(stepUp, shown, ctx.clock.now())
  return {
    user: user,
    sessionId: session?.id ?? null,
    aal,
    claims: sharedClaims(claims),
  }
}

/**
 * Ensures that the session of a client's token has not ended. A token of the client itself has
 * none.
 *
 * @returns the scopes of the token that were not withdrawn, separated by spaces.
 * @throws AuthError as {@link requireCaller}.
 * @internal
 */
export async function requireLiveGrant(deps: Deps, claims: AccessTokenClaims): Promise<string> {
  if (claims.sub === claims.client_id) return claims.scope ?? ''
  // The audience is compared before: the resource, instead of that of the user.
  const { aud: _, jti: __, ...others } = claims
  const { session } = await requireCaller(openCall(deps), others, { acceptsClients: true })
  const grant = session?.grant
  if (!grant || grant.clientId !== claims.client_id) throw badJwt('token has another client')
  return remainingScopes(claims.scope, grant.scope).join(' ')
}
