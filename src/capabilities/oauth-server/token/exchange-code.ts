import { createHash } from 'node:crypto'
import type { H3Event } from 'h3'
import { event as domainEvent, sessionsOpened } from '../../../accounts/acts/event-rows.ts'
import { performActs } from '../../../accounts/acts/record-act.ts'
import { newSession, newSessionRow, type Session } from '../../../accounts/sessions/session.ts'
import { sessionCeiling, sessionLimits } from '../../../accounts/sessions/session-limits.ts'
import { claimsOf, issueTokens } from '../../../accounts/sign-in/issue-session.ts'
import { tokenUser } from '../../../accounts/users/user-row.ts'
import { scopesIn } from '../../../platform/kit/scopes-in.ts'
import { rowsOf } from '../../../platform/sql/tables.ts'
import { hashOfCode } from '../authorize/consent.ts'
import {
  type ClientCredentials,
  clientValues,
  requireClient,
} from '../clients/client-credentials.ts'
import { invalidGrant, invalidRequest } from '../protocol/oauth-errors.ts'
import type { OauthParameters } from '../protocol/parameters.ts'
import { type CodeExchange, exchangeCodeForSession } from './exchange-code.sql.ts'
import { issueIdToken } from './id-token.ts'
import type { ClientTokens, TokenRequest } from './token-response.ts'

const method = 'oauth_provider/authorization_code'

/**
 * Exchanges a code for tokens.
 *
 * @throws AuthError `invalid_request`, `invalid_client`, `unauthorized_client`, `invalid_grant`.
 * @see RFC 6749 §4.1.3, RFC 7636 §4.5
 */
export async function exchangeCode(
  request: TokenRequest,
  event: H3Event,
  credentials: ClientCredentials,
  parameters: OauthParameters,
): Promise<ClientTokens> {
  const code = parameters('code')
  if (code === undefined) throw invalidRequest('code is required')
  const tokens = await openClientSession(request, event, credentials, {
    grant: 'authorization_code',
    codeHash: hashOfCode(code),
    codeChallenge: challengeOf(parameters('code_verifier')),
    redirectUri: parameters('redirect_uri') ?? null,
    resource: parameters('resource') ?? null,
  })
  if (tokens) return tokens
  throw invalidGrant('The code is invalid, has expired or was used, or belongs to another request')
}

/** An approved request, as the client identifies it. */
type ApprovedRequest = Pick<
  CodeExchange,
  'codeHash' | 'codeChallenge' | 'redirectUri' | 'resource'
> & { grant: string }

/**
 * Consumes the code of an approved request, and opens the session of its client.
 *
 * @returns null for a code that is invalid, has expired or was used.
 * @throws AuthError `invalid_client`, `unauthorized_client`.
 */
export async function openClientSession(
  { ctx, keyThumbprint }: TokenRequest,
  event: H3Event,
  credentials: ClientCredentials,
  { grant, ...approved }: ApprovedRequest,
): Promise<ClientTokens | null> {
  const now = ctx.clock.now()
  const opened = newSession({ method, provedAt: now }, now)
  const sessionRows = rowsOf('sessions', newSessionRow(opened, '', ctx.request))
  const replayed = { scope: 'local', session_id: null, reason: 'token_reused' } as const
  const traits = { provider_type: 'oauth_provider_authorization_code' }
  const result = await performActs(
    ctx,
    {
      exchange: {
        audit: {
          action: 'login',
          traits: { ...traits, client_id: credentials.clientId },
        },
        events: { userId: null, events: sessionsOpened(sessionRows) },
      },
      replay: {
        audit: { action: 'token_revoked', traits: { reason: 'code_reused' } },
        events: { userId: null, events: [domainEvent('session.ended', replayed)] },
      },
    },
    ({ exchange, replay }) =>
      exchangeCodeForSession(ctx.sql, {
        ...approved,
        client: clientValues(credentials, grant, now),
        resources: JSON.stringify(ctx.config.oauthServer.resources),
        keyThumbprint,
        sessionId: opened.id,
        sessionRows,
        sessionCeiling: sessionCeiling(ctx.config.sessions, now),
        limits: sessionLimits(ctx.config.sessions, now),
        now,
        auditRows: exchange.auditRows,
        messageRows: exchange.messageRows,
        replayAuditRows: replay.auditRows,
        replayMessageRows: replay.messageRows,
      }),
    ({ exchanged, replayedBy }) => ({
      exchange: exchanged !== null && { actorId: exchanged.user.id },
      replay: replayedBy !== null,
    }),
  )
  requireClient(event, result.client)
  const { exchanged } = result
  if (!exchanged) return null
  const { user, request, clientId } = exchanged
  const authTime = new Date(exchanged.authTime)
  const session: Session = {
    ...opened,
    amr: [{ method, timestamp: Math.floor(authTime.getTime() / 1000) }],
    grant: {
      clientId,
      scope: request.scope,
      resource: request.resource ?? null,
      keyThumbprint,
    },
  }
  ctx.telemetry?.count('auth.sign_ins', { 'auth.method': method, 'auth.result': 'ok' })
  const claims = await claimsOf(ctx, tokenUser(user), session, method)
  const hasIdToken = scopesIn(request.scope).includes('openid')
  return {
    session: await issueTokens(ctx, claims, { sessionId: session.id, counter: 0 }),
    scope: request.scope,
    hasRefreshToken: result.client.grant_types?.includes('refresh_token') ?? false,
    tokenType: keyThumbprint === null ? 'bearer' : 'DPoP',
    idToken: hasIdToken
      ? await issueIdToken(ctx, {
          user,
          clientId,
          scope: request.scope,
          nonce: request.nonce,
          authTime,
          sessionId: session.id,
        })
      : null,
  }
}

/**
 * Returns the code challenge of a verifier; for an invalid one a text that equals no challenge.
 * Otherwise an absent verifier would match the challenge of an empty one.
 *
 * @see RFC 7636 §4.1, §4.2
 */
const challengeOf = (verifier: string | undefined): string =>
  verifier !== undefined && /^[\w.~-]{43,128}$/.test(verifier)
    ? createHash('sha256').update(verifier).digest('base64url')
    : 'none'
