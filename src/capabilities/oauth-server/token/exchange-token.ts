import type { H3Event } from 'h3'
import type { AuthContext } from '../../../accounts/auth-context.ts'
import { remainingScopes } from '../../../accounts/sessions/session.ts'
import { sessionLimits } from '../../../accounts/sessions/session-limits.ts'
import type { AccessTokenClaims } from '../../../credentials/access-tokens/claims.ts'
import { isForResource } from '../../../credentials/access-tokens/claims.ts'
import { signAccessToken } from '../../../credentials/access-tokens/issue-access-token.ts'
import { issuerOf } from '../../../platform/config/issuer-of.ts'
import { scopesIn } from '../../../platform/kit/scopes-in.ts'
import { readResource } from '../authorize/authorize.ts'
import {
  type ClientCredentials,
  clientValues,
  requireClient,
} from '../clients/client-credentials.ts'
import { tokenExchangeGrant } from '../protocol/grant-types.ts'
import { invalidRequest, oauthError } from '../protocol/oauth-errors.ts'
import type { OauthParameters } from '../protocol/parameters.ts'
import { readPresentedToken } from '../protocol/signed-claims.ts'
import { introspectSession } from './token-management.sql.ts'
import type { TokenRequest } from './token-response.ts'

/** @see RFC 8693 §3 */
const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token'

/**
 * Exchanges an access token of a client for one with a part of its scope, or for a resource. It
 * belongs to the same session, expires no later, and is not renewed.
 *
 * @throws AuthError `invalid_client`, `unauthorized_client`, `invalid_scope`, `invalid_target`,
 *   `invalid_request` for a token that is not one of the client, or has ended.
 * @see RFC 8693 §2
 */
export async function exchangeToken(
  { ctx, keyThumbprint }: TokenRequest,
  event: H3Event,
  credentials: ClientCredentials,
  parameters: OauthParameters,
): Promise<Record<string, unknown>> {
  const { config, clock, keys, random, sql } = ctx
  const now = clock.now()
  const subject = await readSubjectToken(ctx, parameters('subject_token'))
  const { client, session, ending } = await introspectSession(sql, {
    client: clientValues(credentials, tokenExchangeGrant, now),
    sessionId: subject?.sessionId ?? null,
    limits: sessionLimits(config.sessions, now),
  })
  requireClient(event, client)
  requireTypes(parameters)
  const seconds = now.getTime() / 1000
  const isUsable = subject && session && ending === null && subject.claims.client_id === client.id
  const expiresAt = Number(subject?.claims.exp)
  if (!isUsable || !(expiresAt > seconds)) {
    throw invalidRequest('subject_token is not a valid access token of the client')
  }
  const { claims } = subject
  const bound = (claims['cnf'] as { jkt?: string } | undefined)?.jkt ?? null
  if (bound !== null && bound !== keyThumbprint) {
    throw invalidRequest('subject_token is bound to another key')
  }
  const scope = readPart(claims, session.scopes, parameters('scope'))
  const present = session.oauth_resource ?? resourceOf(claims)
  const resource = readTarget(ctx, present, parameters('resource'))
  const issuedAt = Math.floor(seconds)
  const exp = Math.min(issuedAt + config.jwt.lifetimeSeconds, expiresAt)
  const issued = {
    ...(resource === null || isForResource(claims) ? claims : claimsForResource(claims)),
    scope,
    iat: issuedAt,
    exp,
    ...(keyThumbprint !== null && { cnf: { jkt: keyThumbprint } }),
    ...(resource !== null && { iss: issuerOf(config), aud: resource, jti: random.uuid() }),
  }
  return {
    access_token: await signAccessToken(keys, issued),
    issued_token_type: accessTokenType,
    token_type: keyThumbprint === null ? 'bearer' : 'DPoP',
    expires_in: exp - issuedAt,
    scope,
  }
}

async function readSubjectToken(ctx: AuthContext, text: string | undefined) {
  const token = text === undefined ? null : await readPresentedToken(ctx, text)
  return token?.kind === 'access' ? token : null
}

function requireTypes(parameters: OauthParameters): void {
  if (parameters('subject_token_type') !== accessTokenType) {
    throw invalidRequest(`subject_token_type has to be ${accessTokenType}`)
  }
  if ((parameters('requested_token_type') ?? accessTokenType) !== accessTokenType) {
    throw invalidRequest(`requested_token_type has to be ${accessTokenType}`)
  }
  if (parameters('actor_token') !== undefined) throw invalidRequest('actor_token is not supported')
  if (parameters('audience') !== undefined) {
    throw oauthError('invalid_target', 'audience is not supported: state a resource')
  }
}

/** Returns the requested part of the scope of a token, whose session may have a smaller one. */
function readPart(
  claims: AccessTokenClaims,
  ofSession: string | null,
  given: string | undefined,
): string {
  const present = remainingScopes(claims.scope, ofSession)
  if (given === undefined) return present.join(' ')
  const requested = scopesIn(given)
  if (requested.every((one) => present.includes(one))) return requested.join(' ')
  throw oauthError('invalid_scope', 'scope cannot exceed that of subject_token')
}

/** Returns the resource of a token that an earlier exchange restricted to it. */
const resourceOf = (claims: AccessTokenClaims): string | null =>
  isForResource(claims) && typeof claims.aud === 'string' ? claims.aud : null

/**
 * Returns the resource of the new token. The resource of the session or of the token stays; where
 * there is none, it is the requested one.
 */
function readTarget(
  ctx: AuthContext,
  present: string | null,
  given: string | undefined,
): string | null {
  const resource = readResource(ctx, given ?? present ?? undefined) ?? null
  if (present === null || resource === present) return resource
  throw oauthError('invalid_target', 'resource differs from that of subject_token')
}

/** No hook decided about the claims that the resource, another party, may have: it gets these. */
const claimsForResource = (claims: AccessTokenClaims): AccessTokenClaims =>
  Object.fromEntries(Object.entries(claims).filter(([name]) => resourceClaims.has(name)))

const resourceClaims: ReadonlySet<string> = new Set(
  'iss sub role aal amr session_id is_anonymous client_id'.split(' '),
)
