import type { H3Event } from 'h3'
import { event as domainEvent } from '../../../accounts/acts/event-rows.ts'
import { performAct } from '../../../accounts/acts/record-act.ts'
import type { AuthContext } from '../../../accounts/auth-context.ts'
import { anyGrant, clientValues, invalidClient } from '../clients/client-credentials.ts'
import { resolveCredentials } from '../clients/resolve-credentials.ts'
import { invalidRequest } from '../protocol/oauth-errors.ts'
import type { OauthParameters } from '../protocol/parameters.ts'
import { readPresentedToken } from '../protocol/signed-claims.ts'
import { revokeSession } from './token-management.sql.ts'

/**
 * Ends the session of a token of the client. A token of another client, or of no client, is not
 * revoked, and the response is the same.
 *
 * @throws AuthError `invalid_client`, `invalid_request` without a token.
 * @see RFC 7009 §2
 */
export async function revokeToken(
  ctx: AuthContext,
  event: H3Event,
  parameters: OauthParameters,
): Promise<void> {
  const credentials = await resolveCredentials(ctx, event, parameters)
  const text = parameters('token')
  const token = text === undefined ? null : await readPresentedToken(ctx, text)
  const ended = { scope: 'local', session_id: token?.sessionId ?? null, reason: 'revoked' } as const
  const traits = { client_id: credentials.clientId }
  const { client } = await performAct(
    ctx,
    {
      audit: { action: 'token_revoked', traits },
      events: { userId: null, events: [domainEvent('session.ended', ended)] },
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
}
