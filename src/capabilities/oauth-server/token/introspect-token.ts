import type { H3Event } from 'h3'
import type { AuthContext } from '../../../accounts/auth-context.ts'
import { remainingScopes } from '../../../accounts/sessions/session.ts'
import { sessionLimits } from '../../../accounts/sessions/session-limits.ts'
import { issuerOf } from '../../../platform/config/issuer-of.ts'
import { anyGrant, clientValues, invalidClient } from '../clients/client-credentials.ts'
import { resolveCredentials } from '../clients/resolve-credentials.ts'
import { invalidRequest } from '../protocol/oauth-errors.ts'
import type { OauthParameters } from '../protocol/parameters.ts'
import { type PresentedClientToken, readPresentedToken } from '../protocol/signed-claims.ts'
import { introspectSession } from './token-management.sql.ts'

/**
 * Returns the description of a token of the client. Any other token is not active.
 *
 * @throws AuthError `invalid_client` also for a client without a secret, `invalid_request` without
 *   a token.
 * @see RFC 7662 §2
 */
export async function introspectToken(
  ctx: AuthContext,
  event: H3Event,
  parameters: OauthParameters,
): Promise<Record<string, unknown>> {
  const credentials = await resolveCredentials(ctx, event, parameters)
  if (credentials.method === 'none') throw invalidClient(event)
  const text = parameters('token')
  const token = text === undefined ? null : await readPresentedToken(ctx, text)
  const now = ctx.clock.now()
  const found = await introspectSession(ctx.sql, {
    client: clientValues(credentials, anyGrant, now),
    sessionId: token?.sessionId ?? null,
    limits: sessionLimits(ctx.config.sessions, now),
  })
  if (!found.client.is_authenticated) throw invalidClient(event)
  if (text === undefined) throw invalidRequest('token is required')
  const described = token && describe(ctx, token, found, credentials.clientId)
  return described ?? { active: false }
}

/** Returns the description of a token; null for one that is not active, or of another client. */
function describe(
  { config, clock }: AuthContext,
  token: PresentedClientToken,
  { session, ending }: Awaited<ReturnType<typeof introspectSession>>,
  clientId: string,
): Record<string, unknown> | null {
  const iss = issuerOf(config)
  if (token.kind === 'refresh') {
    if (!session || ending !== null || session.refresh_token_counter !== token.counter) return null
    return {
      active: true,
      client_id: clientId,
      iss,
      scope: session.scopes ?? '',
      sub: session.user_id,
      token_type: 'refresh_token',
    }
  }
  const { claims } = token
  const isOver = typeof claims.exp !== 'number' || claims.exp <= clock.now().getTime() / 1000
  if (isOver || claims.client_id !== clientId) return null
  // A token of the client itself has no session.
  const isLive = token.sessionId === null ? claims.sub === clientId : session && ending === null
  if (!isLive) return null
  const { sub, aud, exp, iat, jti, cnf } = claims
  const scope = session ? remainingScopes(claims.scope, session.scopes).join(' ') : claims.scope
  return {
    active: true,
    client_id: clientId,
    iss,
    sub,
    aud,
    exp,
    iat,
    scope,
    ...(jti !== undefined && { jti }),
    ...(cnf !== undefined && { cnf }),
    token_type: cnf === undefined ? 'Bearer' : 'DPoP',
  }
}
