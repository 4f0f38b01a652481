import { issueAccessToken } from '../access-tokens/issue-access-token.ts'
import type { AuthContext } from '../deps.ts'
import { encodeRefreshToken } from '../sessions/refresh-token.ts'
import type { IssuedSession, Session } from '../sessions/session.ts'
import type { Account } from '../users/account.ts'

/** A user together with the session that was just opened or renewed. */
export interface SignedIn {
  account: Account
  session: IssuedSession
}

/** Makes the tokens of a session whose row holds this refresh counter. */
export async function issueSession(
  { config, keys, roots, clock }: AuthContext,
  account: Account,
  session: Session,
  refreshCounter: number,
): Promise<SignedIn> {
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
      lifetimeSeconds: config.jwt.lifetimeSeconds,
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
