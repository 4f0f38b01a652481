import type { H3Event } from 'h3'
import { event as domainEvent } from '../../accounts/acts/event-rows.ts'
import { performAct } from '../../accounts/acts/record-act.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { remainingScopes } from '../../accounts/sessions/session.ts'
import { sessionLimits } from '../../accounts/sessions/session-limits.ts'
import { implementSeparately } from '../../endpoints/http/implement.ts'
import { issuerOf } from '../../platform/config/issuer-of.ts'
import { Answer, jsonAnswer } from '../../platform/http/answer.ts'
import { clientValues, invalidClient } from './client-credentials.ts'
import { errorOfTokenRequest, inOauthForm, notStored, tokenErrorHeaders } from './oauth-answer.ts'
import { invalidRequest } from './oauth-errors.ts'
import { type OauthParameters, parametersIn } from './parameters.ts'
import { resolveCredentials } from './resolve-credentials.ts'
import { type PresentedClientToken, readPresentedToken } from './signed-claims.ts'
import { introspectEndpoint, revokeEndpoint } from './token-management.endpoint.ts'
import { introspectSession, revokeSession } from './token-management.sql.ts'

export const tokenManagementRoutes = [
  implementSeparately(revokeEndpoint, {
    readBody: () => (body) => ({ body }),
    handle:
      () =>
      ({ ctx, event, input: { body } }) =>
        inOauthForm(event, tokenForm, () => revoke(ctx, event, parametersIn(body))),
  }),
  implementSeparately(introspectEndpoint, {
    readBody: () => (body) => ({ body }),
    handle:
      () =>
      ({ ctx, event, input: { body } }) =>
        inOauthForm(event, tokenForm, () => introspect(ctx, event, parametersIn(body))),
  }),
] as const

const tokenForm = { errorOf: errorOfTokenRequest, headersOf: tokenErrorHeaders }

/** Every grant is revoked and described alike. */
const anyGrant = 'refresh_token'

/** A token of another client, or of no client, is not revoked, and the response is the same. */
async function revoke(
  ctx: AuthContext,
  event: H3Event,
  parameters: OauthParameters,
): Promise<Answer> {
  const credentials = await resolveCredentials(ctx, event, parameters)
  const text = parameters('token')
  const token = text === undefined ? null : await readPresentedToken(ctx, text)
  const ended = { scope: 'local', session_id: token?.sessionId ?? null, reason: 'revoked' } as const
  const traits = { client_id: credentials.clientId }
  const { client } = await performAct(
    ctx,
    {
      audit: { action: 'token_revoked', traits },
      events: { userId: '', events: [domainEvent('session.ended', ended)] },
    },
    (rows) =>
      revokeSession(ctx.sql, {
        ...rows,
        client: clientValues(credentials, anyGrant, ctx.clock.now()),
        sessionId: token?.sessionId ?? null,
      }),
    ({ userId }) => userId !== null && { actorId: userId },
  )
  if (!client.is_authenticated) throw invalidClient(event)
  if (text === undefined) throw invalidRequest('token is required')
  return new Answer(200, { ...notStored, 'content-length': '0' })
}

async function introspect(
  ctx: AuthContext,
  event: H3Event,
  parameters: OauthParameters,
): Promise<Answer> {
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
  return jsonAnswer(200, described ?? { active: false }, notStored)
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
