import { issueAccessToken } from '../access-tokens/issue-access-token.ts'
import type { AuthContext } from '../deps.ts'
import { encodeRefreshToken } from '../sessions/refresh-token.ts'
import type { IssuedSession, Session } from '../sessions/session.ts'
import { type Account, hasVerifiedFactor } from '../users/account.ts'

/** A user together with the session that was just opened or renewed. */
export interface SignedIn {
  account: Account
  session: IssuedSession
}

/** Makes the tokens of a session whose row holds this refresh counter. */
export async function issueSession(
  ctx: AuthContext,
  account: Account,
  session: Session,
  refreshCounter: number,
): Promise<SignedIn> {
  const { config, keys, roots, clock } = ctx
  const { token, expiresAt, expiresInSeconds } = await issueAccessToken(
    keys,
    {
      sub: account.id,
      aud: account.audience,
      role: account.role,
      email: account.email ?? '',
      phone: account.phone ?? '',
      app_metadata: account.appMetadata,
      user_metadata: account.userMetadata,
      aal: session.aal,
      amr: session.amr,
      session_id: session.id,
      is_anonymous: account.isAnonymous,
    },
    {
      issuer: config.jwt.issuer,
      lifetimeSeconds: lifetimeOf(ctx, account, session),
      now: clock.now(),
    },
  )
  return {
    account,
    session: {
      id: session.id,
      accessToken: token,
      refreshToken: encodeRefreshToken(roots, { sessionId: session.id, counter: refreshCounter }),
      expiresAt,
      expiresInSeconds,
    },
  }
}

/** A session without the second factor that its user has is not to outlive its time by its last token. */
function lifetimeOf({ config, clock }: AuthContext, account: Account, session: Session): number {
  const { lifetimeSeconds } = config.jwt
  const { allowLowAalSeconds } = config.sessions
  const isWeak = session.aal !== 'aal2' && hasVerifiedFactor(account)
  if (allowLowAalSeconds === null || !isWeak) return lifetimeSeconds
  const ageSeconds = (clock.now().getTime() - session.createdAt.getTime()) / 1000
  // Clients take a token that lives for 0 seconds for none.
  return Math.max(1, Math.min(lifetimeSeconds, Math.floor(allowLowAalSeconds - ageSeconds)))
}
