import {
  accessTokenClaims,
  type IssuedAccessToken,
  type IssuedClaims,
  issueAccessToken,
  maxTokenBytes,
  signAccessToken,
} from '../../credentials/access-tokens/issue-access-token.ts'
import { withHookFailure } from '../../delivery/hooks/request-decision.ts'
import { issuerOf } from '../../platform/config/issuer-of.ts'
import type { AuthContext } from '../auth-context.ts'
import {
  type AuthenticationMethod,
  isSecondFactor,
  presentMethodReference,
} from '../sessions/assurance.ts'
import { presentSession } from '../sessions/present-session.ts'
import { encodeRefreshToken, type RefreshToken } from '../sessions/refresh-token.ts'
import { type ClientGrant, type Session, type SessionRow, toSession } from '../sessions/session.ts'
import type { SessionTokens } from '../sessions/session-info.ts'
import { presentUser } from '../users/present-user.ts'
import { type Factor, needsAal2, type User } from '../users/user.ts'
import { customizeClaims } from './customize-claims.ts'

/** A user with the session that was just opened or renewed. */
export interface IssuedSession {
  user: User
  session: SessionTokens
}

/**
 * Issues the tokens of a session that this method has just proved, and whose row contains this
 * refresh counter.
 */
export async function issueSession(
  ctx: AuthContext,
  user: User,
  session: Session,
  { method, refreshCounter }: { method: AuthenticationMethod; refreshCounter: number },
): Promise<IssuedSession> {
  const refresh = { sessionId: session.id, counter: refreshCounter }
  const claims = await claimsOf(ctx, user, session, method)
  return { user, session: await issueTokens(ctx, claims, refresh) }
}

/** Issues the tokens of a session that this method has just raised. */
export function issueRaisedSession(
  ctx: AuthContext,
  user: User,
  row: SessionRow,
  method: AuthenticationMethod,
): Promise<IssuedSession> {
  // Rejected factors are counted without their type, so accepted ones are, too.
  const counted = isSecondFactor(method) ? 'mfa' : method
  ctx.telemetry?.count('auth.sign_ins', { 'auth.method': counted, 'auth.result': 'ok' })
  const refreshCounter = row.refresh_token_counter
  return issueSession(ctx, user, toSession(row), { method, refreshCounter })
}

/** The properties of a user that tokens contain, or that bound their lifetime. */
export type TokenUser = Pick<
  User,
  'id' | 'audience' | 'role' | 'email' | 'phone' | 'appMetadata' | 'userMetadata' | 'isAnonymous'
> & { factors: readonly Pick<Factor, 'status'>[] }

/**
 * Returns the claims of a token of a session that is issued now.
 *
 * @param method the method that the hook of the application receives.
 * @throws AuthError the errors of {@link customizeClaims}.
 */
export async function claimsOf(
  ctx: AuthContext,
  holder: TokenUser,
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
  const before = { ...claims, ...(session.grant && boundClaims(session.grant)) }
  const custom = await customizeClaims(ctx, before, method)
  const issued = claimsForSession(ctx, custom, session)
  if (custom !== before) {
    await requireFittingHook(ctx, claimsForSession(ctx, before, session), issued)
  }
  return issued
}

/** Returns the claims of a token of a session. The hook cannot change its OAuth client. */
function claimsForSession(
  ctx: AuthContext,
  claims: IssuedClaims,
  { grant }: Session,
): IssuedClaims {
  if (grant) return claimsForClient(ctx, { ...claims, ...boundClaims(grant) }, grant)
  // Only tokens of OAuth clients contain it, which are rejected for most operations.
  const { client_id: _, cnf: __, ...own } = claims
  return own as IssuedClaims
}

/**
 * Rejects claims that the hook made too large for a token, as a failure of the hook. Claims that
 * were too large before it are rejected where the token is issued, without its name.
 *
 * @throws AuthError as {@link issueAccessToken}.
 */
async function requireFittingHook(
  ctx: AuthContext,
  before: IssuedClaims,
  issued: IssuedClaims,
): Promise<void> {
  // Base64 and signature take less than as much again, so most tokens are signed once.
  if (Buffer.byteLength(JSON.stringify(issued)) < maxTokenBytes / 2) return
  const unchanged = await signAccessToken(ctx.keys, before)
  if (unchanged.length > maxTokenBytes) return
  await withHookFailure(ctx, 'customAccessToken', () => issueAccessToken(ctx.keys, issued))
}

/** Returns the claims that bind a token to an OAuth client. The hook cannot change them. */
const boundClaims = ({ clientId, scope, resource, keyThumbprint }: ClientGrant) => ({
  client_id: clientId,
  scope,
  ...(keyThumbprint !== null && { cnf: { jkt: keyThumbprint } }),
  ...(resource !== null && { aud: resource }),
})

/**
 * Returns the claims of a token of an OAuth client. One for a resource contains no address and no
 * metadata of the user: the resource is another party.
 *
 * @see RFC 9068 §2.2, RFC 8707 §2, RFC 9449 §6
 */
function claimsForClient(
  { config, random }: Pick<AuthContext, 'config' | 'random'>,
  claims: IssuedClaims,
  { resource }: ClientGrant,
): IssuedClaims {
  // Only tokens for a resource have an id.
  if (resource === null) return withoutId(claims)
  const { email: _, phone: __, app_metadata: ___, user_metadata: ____, ...rest } = claims
  return { ...rest, iss: issuerOf(config), jti: random.uuid() }
}

function withoutId({ jti: _, ...claims }: IssuedClaims): IssuedClaims {
  return claims as IssuedClaims
}

/**
 * Issues the access token of a session.
 *
 * @throws AuthError as {@link issueAccessToken}.
 */
export const issueSessionToken = (
  { keys }: Pick<AuthContext, 'keys'>,
  claims: IssuedClaims,
): Promise<IssuedAccessToken> => issueAccessToken(keys, claims)

/** Issues the tokens of a session. */
export async function issueTokens(
  ctx: AuthContext,
  claims: IssuedClaims,
  refresh: RefreshToken,
): Promise<SessionTokens> {
  const { roots, tokenSizes } = ctx
  const { token, expiresAt, expiresInSeconds } = await issueSessionToken(ctx, claims)
  tokenSizes.noteIssued(token, claims)
  return {
    id: refresh.sessionId,
    accessToken: token,
    refreshToken: encodeRefreshToken(roots, refresh),
    expiresAt,
    expiresInSeconds,
  }
}

/**
 * Returns the lifetime of a token. The last token of a session without the user's second factor
 * does not outlive the time allowed for such sessions.
 */
function lifetimeOf({ config, clock }: AuthContext, holder: TokenUser, session: Session): number {
  const { lifetimeSeconds } = config.jwt
  const { allowLowAalSeconds } = config.sessions
  const isExempt = session.grant !== null || !needsAal2(holder, session.aal)
  if (allowLowAalSeconds === null || isExempt) return lifetimeSeconds
  const ageSeconds = (clock.now().getTime() - session.createdAt.getTime()) / 1000
  // Clients treat a token with a lifetime of 0 seconds as none.
  return Math.max(1, Math.min(lifetimeSeconds, Math.floor(allowLowAalSeconds - ageSeconds)))
}

/** Returns the wire form of a session and its user. */
export const presentSignedIn = ({ user, session }: IssuedSession) =>
  presentSession(presentUser(user), session)
