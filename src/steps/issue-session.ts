import { issueAccessToken } from '../access-tokens/issue-access-token.ts'
import type { AuthContext } from '../deps.ts'
import { encodeRefreshToken, type RefreshToken } from '../sessions/refresh-token.ts'
import type { Session } from '../sessions/session.ts'
import type { SessionTokens } from '../sessions/session-tokens.ts'
import { type Factor, hasVerifiedFactor, type User } from '../users/user.ts'

/** A user together with the session that was just opened or renewed. */
export interface SignedIn {
  user: User
  session: SessionTokens
}

/** Makes the tokens of a user's session whose row holds this refresh counter. */
export async function issueSession(
  ctx: AuthContext,
  user: User,
  session: Session,
  refreshCounter: number,
): Promise<SignedIn> {
  const refresh = { sessionId: session.id, counter: refreshCounter }
  return { user, session: await issueTokens(ctx, user, session, refresh) }
}

/** What tokens say of their user, and what of the user bounds them. */
export type TokenHolder = Pick<
  User,
  'id' | 'audience' | 'role' | 'email' | 'phone' | 'appMetadata' | 'userMetadata' | 'isAnonymous'
> & { factors: readonly Pick<Factor, 'status'>[] }

/** Makes the tokens of a session. */
export async function issueTokens(
  ctx: AuthContext,
  holder: TokenHolder,
  session: Session,
  refresh: RefreshToken,
): Promise<SessionTokens> {
  const { config, keys, roots, clock } = ctx
  const { token, expiresAt, expiresInSeconds } = await issueAccessToken(
    keys,
    {
      sub: holder.id,
      aud: holder.audience,
      role: holder.role,
      email: holder.email ?? '',
      phone: holder.phone ?? '',
      app_metadata: holder.appMetadata,
      user_metadata: holder.userMetadata,
      aal: session.aal,
      amr: session.amr,
      session_id: session.id,
      is_anonymous: holder.isAnonymous,
    },
    {
      issuer: config.jwt.issuer,
      lifetimeSeconds: lifetimeOf(ctx, holder, session),
      now: clock.now(),
    },
  )
  return {
    id: session.id,
    accessToken: token,
    refreshToken: encodeRefreshToken(roots, refresh),
    expiresAt,
    expiresInSeconds,
  }
}

/** A session without the second factor that its user has is not to outlive its time by its last token. */
function lifetimeOf({ config, clock }: AuthContext, holder: TokenHolder, session: Session): number {
  const { lifetimeSeconds } = config.jwt
  const { allowLowAalSeconds } = config.sessions
  const isWeak = session.aal !== 'aal2' && hasVerifiedFactor(holder)
  if (allowLowAalSeconds === null || !isWeak) return lifetimeSeconds
  const ageSeconds = (clock.now().getTime() - session.createdAt.getTime()) / 1000
  // Clients take a token that lives for 0 seconds for none.
  return Math.max(1, Math.min(lifetimeSeconds, Math.floor(allowLowAalSeconds - ageSeconds)))
}
