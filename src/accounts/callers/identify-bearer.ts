import type { AccessTokenClaims } from '../../credentials/access-tokens/claims.ts'
import {
  type AcceptedCaller,
  isAboutUser,
  readSubject,
  requireOwnToken,
} from '../../credentials/access-tokens/token-subject.ts'
import {
  requireAudience,
  verifyAccessToken,
} from '../../credentials/access-tokens/verify-access-token.ts'
import { noAuthorization } from '../../platform/errors/request-errors.ts'
import type { AuthContext } from '../auth-context.ts'
import { notAdmin } from '../users/user-errors.ts'
import type { EndpointCaller } from './endpoint-caller.ts'

/** Verifies a bearer token by its signature and lifetime, without a query. */
export async function verifyBearer(
  { keys, clock, config }: Pick<AuthContext, 'keys' | 'clock' | 'config'>,
  token: string | null,
): Promise<AccessTokenClaims> {
  if (token === null) throw noAuthorization()
  return verifyAccessToken(keys, token, { now: clock.now(), issuer: config.jwt.issuer })
}

/**
 * Verifies the token that an endpoint requires, as far as that takes no query. A caller without
 * access is rejected before the body is read.
 *
 * @throws AuthError `no_authorization` (401), `bad_jwt`, `not_admin`, `insufficient_scope` (403).
 */
export async function identifyBearer(
  ctx: AuthContext,
  { caller, acceptsClients }: AcceptedCaller & { caller: EndpointCaller },
  token: string | null,
): Promise<AccessTokenClaims | null> {
  if (caller === 'anyone') return null
  const claims = await verifyBearer(ctx, token)
  requireOwnToken(claims, { acceptsClients })
  if (caller === 'user') readSubject(claims)
  else if (!isAboutUser(claims)) requireServiceRole(ctx, claims)
  return claims
}

/**
 * Returns the role of a token that was issued for administration.
 *
 * @throws AuthError `bad_jwt` for another audience, `not_admin` (403).
 */
export function requireServiceRole(ctx: AuthContext, claims: AccessTokenClaims): string {
  requireAudience(claims, ctx.config.jwt.audience)
  return requireAdminRole(ctx, claims.role)
}

/**
 * Returns the role if it is one of an administrator.
 *
 * @throws AuthError `not_admin` (403).
 */
export function requireAdminRole({ config }: Pick<AuthContext, 'config'>, role: unknown): string {
  if (typeof role !== 'string' || !config.jwt.adminRoles.includes(role)) throw notAdmin()
  return role
}
