import {
  accessTokenClaims,
  type IssuedClaims,
  issueAccessToken,
} from '../../credentials/access-tokens/issue-access-token.ts'
import type { AuthContext } from '../auth-context.ts'
import {
  type AuthenticationMethod,
  isSecondFactor,
  presentMethodReference,
} from '../sessions/assurance.ts'
import { encodeRefreshToken, type RefreshToken } from '../sessions/refresh-token.ts'
import { type Session, type SessionRow, toSession } from '../sessions/session.ts'
import type { SessionTokens } from '../sessions/session-tokens.ts'
import { type Factor, hasVerifiedFactor, type User } from '../users/user.ts'
import { customizeClaims } from './customize-claims.ts'

/** A user together with the session that was just opened or renewed. */
export interface SignedIn {
  user: User
  session: SessionTokens
}

/** Makes the tokens of a user's session that was just proved by this method, and whose row holds this refresh counter. */
export async function issueSession(
  ctx: AuthContext,
  user: User,
  session: Session,
  { method, refreshCounter }: { method: AuthenticationMethod; refreshCounter: number },
): Promise<SignedIn> {
  const refresh = { sessionId: session.id, counter: refreshCounter }
  const claims = await claimsOf(ctx, user, session, method)
  return { user, session: await issueTokens(ctx, claims, refresh) }
}

/** Makes the tokens of a session that was just raised by this method. */
export function issueRaisedSession(
  ctx: AuthContext,
  user: User,
  row: SessionRow,
  method: AuthenticationMethod,
): Promise<SignedIn> {
  // Of a factor that was refused, the figures do not know the type.
  const counted = isSecondFactor(method) ? 'mfa' : method
  ctx.telemetry?.count('auth.sign_ins', { 'auth.method': counted, 'auth.result': 'ok' })
  const refreshCounter = row.refresh_token_counter
  return issueSession(ctx, user, toSession(row), { method, refreshCounter })
}

/** What tokens say of their user, and what of the user bounds them. */
export type TokenHolder = Pick<
  User,
  'id' | 'audience' | 'role' | 'email' | 'phone' | 'appMetadata' | 'userMetadata' | 'isAnonymous'
> & { factors: readonly Pick<Factor, 'status'>[] }

/**
 * What a token of a session says that is issued now.
 *
 * @param method what the application is told that it rests on.
 * @throws AuthError what {@link customizeClaims} throws.
 */
export function claimsOf(
  ctx: AuthContext,
  holder: TokenHolder,
  session: Session,
  method: AuthenticationMethod,
): Promise<IssuedClaims> {
  const claims = accessTokenClaims(
    {
      sub: holder.id,
      aud: holder.audience,
      role: holder.role,
      email: holder.email ?? '',
      phone: holder.phone ?? '',
      app_metadata: holder.appMetadata,
      user_metadata: holder.userMetadata,
      aal: session.aal,
      amr: session.amr.map(presentMethodReference),
      session_id: session.id,
      is_anonymous: holder.isAnonymous,
    },
    {
      issuer: ctx.config.jwt.issuer,
      lifetimeSeconds: lifetimeOf(ctx, holder, session),
      now: ctx.clock.now(),
    },
  )
  return customizeClaims(ctx, claims, method)
}

/** Makes the tokens of a session. */
export async function issueTokens(
  { keys, roots, tokenSizes }: AuthContext,
  claims: IssuedClaims,
  refresh: RefreshToken,
): Promise<SessionTokens> {
  const { token, expiresAt, expiresInSeconds } = await issueAccessToken(keys, claims)
  tokenSizes.noteIssued(token, claims)
  return {
    id: refresh.sessionId,
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
