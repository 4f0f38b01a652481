import { performAct } from '../../../accounts/acts/record-act.ts'
import type { AuthContext } from '../../../accounts/auth-context.ts'
import { aalOf, type Caller } from '../../../accounts/callers/authenticate-caller.ts'
import { withLockedUser } from '../../../accounts/callers/with-locked-user.ts'
import { isProofOfUser } from '../../../accounts/sessions/assurance.ts'
import type { Session } from '../../../accounts/sessions/session.ts'
import {
  newerSignInNeeded,
  sessionNotFound,
  stepUpNeededToConsent,
} from '../../../accounts/sessions/session-errors.ts'
import { needsAal2 } from '../../../accounts/users/user.ts'
import { explainRedirect } from '../../../limits/redirects/explain-redirect.ts'
import { issuerOf } from '../../../platform/config/issuer-of.ts'
import { validationFailed } from '../../../platform/errors/request-errors.ts'
import { sha256Hex } from '../../../platform/kit/digest.ts'
import { scopesIn } from '../../../platform/kit/scopes-in.ts'
import { retryRolledBack } from '../../../platform/sql/retry.ts'
import { toClient } from '../clients/client-row.ts'
import type { OauthClient } from '../clients/oauth-client.ts'
import {
  destinationIn,
  isNative,
  isRedirectOf,
  opensApplication,
  withParameters,
} from '../clients/redirect-uris.ts'
import { withdrawDeselectedScopes } from '../clients/withdraw-scopes.sql.ts'
import type { OauthAuthorizationRow, OauthConsentRow } from '../personal-oauth.ts'
import { authorizationNotFound, oauthError, requireOauthServer } from '../protocol/oauth-errors.ts'
import type { AuthorizationDetails, AuthorizationRedirect } from './authorization-details.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { type OpenedAuthorization, openAuthorization } from './authorizations.sql.ts'
import { errorRedirect } from './authorize.ts'
import {
  approveAuthorization,
  approveByConsent,
  type DecidedAuthorization,
  denyAuthorization,
} from './decide-authorization.sql.ts'

export type { AuthorizationDetails, AuthorizationRedirect }

/**
 * Opens an authorization request for the user who is signed in, and returns what the consent page
 * shows; the URL of the client where the user has consented before, or where the request permits no
 * page.
 *
 * @param origin the origin of the page that sent the request; null where it states none.
 * @throws AuthError `feature_disabled`, `oauth_authorization_not_found` (404), `validation_failed`
 *   (400) for a page of another site and a request that is decided, `session_not_found`,
 *   `insufficient_aal` (403) where the user has a second factor that the session has not used,
 *   `reauthentication_needed` (403) where the request requires a new sign-in; an error with
 *   `details.oauthError` (400) where the request permits no page, and its redirect URI opens an
 *   application that the user did not approve before.
 */
export async function openForUser(
  ctx: AuthContext,
  caller: Caller,
  by: { id: string } | { userCodeHashes: readonly string[] },
  origin: string | null,
): Promise<AuthorizationDetails | AuthorizationRedirect> {
  requireOauthServer(ctx)
  requirePageOfSite(ctx, origin)
  const session = requireSession(caller)
  const { user } = caller
  const now = ctx.clock.now()
  const opened = await openAuthorization(ctx.sql, by, { userId: user.id, now })
  if (!opened) throw authorizationNotFound()
  const { authorization, consent } = opened
  const { request } = authorization
  if (authorization.status !== 'pending') {
    throw validationFailed('authorization request cannot be processed')
  }
  // A metadata document may have removed it since.
  const isDevice = request.interval !== undefined
  if (!isDevice && !isRedirectOf(opened.client.redirect_uris, request.redirect_uri)) {
    throw validationFailed('redirect_uri: invalid redirect_uri')
  }
  const isSilent = request.prompt?.includes('none') ?? false
  const refuse = (error: string, description: string) =>
    rejectSilently(ctx, caller, opened, oauthError(error, description))
  const authTime = authTimeOf(session)
  if (isSilent && request.hinted_user !== undefined && request.hinted_user !== user.id) {
    return refuse('login_required', 'Another user is signed in')
  }
  if (!isRecent(request, authorization.created_at, authTime, now)) {
    if (isSilent) return refuse('login_required', 'The sign-in is too old')
    throw newerSignInNeeded()
  }
  if (needsAal2(user, aalOf(caller))) {
    if (isSilent) return refuse('login_required', 'A second factor is required')
    throw stepUpNeededToConsent()
  }
  if (consent && mayRepeat(opened, consent, caller)) {
    const code = ctx.random.uuid()
    const isApproved = await approveByConsent(ctx.sql, {
      authorizationId: authorization.id,
      userId: user.id,
      consent,
      codeHash: hashOfCode(code),
      authTime,
      sessionId: session.id,
      now,
    })
    if (isApproved) return { redirectUrl: codeRedirect(ctx, request, code) }
  }
  if (isSilent) return refuse('consent_required', 'The user has not consented')
  return detailsOf(authorization, toClient(opened.client), user)
}

/**
 * Approves or denies an authorization request that the user opened before.
 *
 * @param scope the scopes that the user grants, where these are a part of the requested ones.
 * @throws AuthError as {@link openForUser}.
 */
export async function decideForUser(
  ctx: AuthContext,
  caller: Caller,
  authorizationId: string,
  {
    action,
    scope,
    origin,
  }: { action: 'approve' | 'deny'; scope?: string | undefined; origin: string | null },
): Promise<AuthorizationRedirect> {
  requireOauthServer(ctx)
  requirePageOfSite(ctx, origin)
  const session = requireSession(caller)
  const now = ctx.clock.now()
  const decision = { authorizationId, userId: caller.user.id, now }
  if (action === 'deny') {
    const denied = await denyAuthorization(ctx.sql, decision)
    const { request } = requireDecided(denied)
    const error = oauthError('access_denied', 'User denied the request')
    return { redirectUrl: errorRedirect(ctx, request.redirect_uri, request.state, error) }
  }
  // Applications sign the user in by the consent, so it requires as much as a sign-in.
  if (needsAal2(caller.user, aalOf(caller))) throw stepUpNeededToConsent()
  const authTime = authTimeOf(session)
  const code = ctx.random.uuid()
  const granted = scope === undefined ? null : await requirePart(ctx, decision, scope)
  const act = {
    audit: {
      action: 'oauth_consent_granted',
      actorId: caller.user.id,
      traits: { authorization_id: authorizationId },
    },
    // Sessions without another scope than the deselected ones end.
    mayReportSessions: granted !== null,
  } as const
  const approval = {
    ...decision,
    consentId: ctx.random.uuid(),
    codeHash: hashOfCode(code),
    scope: granted,
    authTime,
    sessionId: session.id,
  }
  const approve = (needs: AuthContext) =>
    performAct(
      needs,
      act,
      (rows) => approveAuthorization(needs.sql, approval, rows),
      (result) => result?.is_decided === true,
    )
  const approved =
    granted === null ? await approve(ctx) : await approvePart(ctx, caller, granted, approve)
  if (approved && !approved.is_decided && approved.authorization.status === 'pending') {
    throw newerSignInNeeded()
  }
  const { request } = requireDecided(approved)
  return { redirectUrl: codeRedirect(ctx, request, code) }
}

/** Returns whether a request that the user opened is decided, and has not expired. */
export async function isDecidedRequest(
  ctx: AuthContext,
  { user }: Caller,
  id: string,
): Promise<boolean> {
  const opened = await openAuthorization(ctx.sql, { id }, { userId: user.id, now: ctx.clock.now() })
  return opened !== null && opened.authorization.status !== 'pending'
}

/** Returns the hash under which a code is stored. Secrets of other kinds have other hashes. */
export const hashOfCode = (code: string): string => sha256Hex(`oauth-code:${code}`)

/**
 * Returns the URL of the client with the code. A device requests its tokens itself, so the browser
 * stays on the page where the user entered its code.
 *
 * @see RFC 6749 §4.1.2, RFC 9207 §2
 */
const codeRedirect = (
  { config }: Pick<AuthContext, 'config'>,
  { redirect_uri, state, interval }: AuthorizationRequest,
  code: string,
): string =>
  interval === undefined
    ? withParameters(redirect_uri, { code, state, iss: issuerOf(config) })
    : withParameters(redirect_uri, { status: 'approved' })

/**
 * Rejects the call of a page of another site. A client without a browser states no origin.
 */
function requirePageOfSite({ config }: AuthContext, origin: string | null): void {
  if (origin !== null && !explainRedirect(config, origin).allowed) {
    throw validationFailed('unauthorized request origin')
  }
}

/** Consent rests on a session, whose sign-in the tokens state. */
function requireSession({ session }: Caller): Session {
  if (!session) throw sessionNotFound()
  return session
}

/**
 * Returns the time of the sign-in of a session: its beginning, or that of an older proof that it
 * rests on.
 */
function authTimeOf({ createdAt, amr }: Session): Date {
  const proofs = amr.filter(({ method }) => isProofOfUser(method))
  const oldest = Math.min(...proofs.map(({ timestamp }) => timestamp))
  return oldest < Math.floor(createdAt.getTime() / 1000) ? new Date(oldest * 1000) : createdAt
}

/**
 * Returns whether the sign-in is recent enough for the request, as `isSignInRecent` does in SQL. A
 * sign-in after the request always is: a short `max_age` may pass until the user returns from it.
 *
 * @see OpenID Connect Core 1.0 §3.1.2.1
 */
function isRecent(
  { prompt = [], max_age }: AuthorizationRequest,
  requestedAt: string,
  authTime: Date,
  now: Date,
): boolean {
  if (authTime > new Date(requestedAt)) return true
  if (prompt.includes('login')) return false
  return max_age === undefined || authTime.getTime() >= now.getTime() - max_age * 1000
}

/**
 * Returns whether an earlier consent is sufficient. The user decides again where the request
 * requires it, where the client may be an impostor on the same machine, where another party
 * receives the code, and where the page is opened again.
 *
 * @see RFC 8252 §8.6
 */
function mayRepeat(
  { authorization: { request }, client, is_first }: OpenedAuthorization,
  consent: OauthConsentRow,
  { user }: Caller,
): boolean {
  const { prompt = [], max_age } = request
  // An attacker may have sent the user the code of the attacker's device. @see RFC 8628 §5.4
  if (request.interval !== undefined) return false
  const requiresSignIn = prompt.includes('login') || max_age !== undefined
  if (prompt.includes('consent') || prompt.includes('select_account')) return false
  if (!is_first && !requiresSignIn) return false
  if (client.client_type === 'public' && isNative(request.redirect_uri)) return false
  if (!isApprovedDestination(client, consent, request.redirect_uri)) return false
  // An attacker may have consented before the owner of the address confirmed it.
  const confirmations = [user.emailConfirmedAt, user.phoneConfirmedAt].filter((at) => at !== null)
  const grantedAt = new Date(consent.granted_at)
  if (confirmations.length > 0 && confirmations.every((at) => at > grantedAt)) return false
  const coversScope = scopesIn(request.scope).every((scope) => consent.scopes.includes(scope))
  return coversScope && coversResource(request, consent)
}

/**
 * Returns whether the user consented to the resource of a request. A token without one is for this
 * service itself.
 */
const coversResource = (
  { resource }: AuthorizationRequest,
  { resources }: OauthConsentRow,
): boolean => (resource === undefined ? resources.length === 0 : resources.includes(resource))

/**
 * Returns whether the user approved that a party receives codes. The redirect URIs of a client that
 * an operator registered are the operator's decision. A metadata document may change at any time,
 * so that a consent without destinations is not sufficient for its client.
 */
const isApprovedDestination = (
  { registration_type: type }: OpenedAuthorization['client'],
  { destinations }: OauthConsentRow,
  redirectUri: string,
): boolean =>
  type === 'manual' || (destinations?.includes(destinationIn(redirectUri)) ?? type !== 'document')

/**
 * Ends a request that permits no page, with an error for the client.
 *
 * @throws AuthError the same error where the redirect URI opens an application that the user did
 *   not approve before.
 */
async function rejectSilently(
  ctx: AuthContext,
  { user }: Caller,
  { authorization: { id, request }, client, consent }: OpenedAuthorization,
  error: ReturnType<typeof oauthError>,
): Promise<AuthorizationRedirect> {
  await denyAuthorization(ctx.sql, {
    authorizationId: id,
    userId: user.id,
    now: ctx.clock.now(),
  })
  const isApproved =
    consent !== null && isApprovedDestination(client, consent, request.redirect_uri)
  if (!isApproved && opensApplication(request.redirect_uri)) throw error
  return { redirectUrl: errorRedirect(ctx, request.redirect_uri, request.state, error) }
}

/** Approves a part of the requested scopes. The client loses the others in earlier grants, too. */
const approvePart = (
  ctx: AuthContext,
  caller: Caller,
  granted: string,
  approve: (needs: AuthContext) => Promise<DecidedAuthorization | null>,
): Promise<DecidedAuthorization | null> =>
  retryRolledBack(() =>
    withLockedUser(ctx, caller.user.id, async (tx) => {
      const approved = await approve(tx)
      if (approved?.is_decided) {
        const { request, client_id: clientId } = approved.authorization
        const kept = scopesIn(granted)
        const scopes = scopesIn(request.scope).filter((scope) => !kept.includes(scope))
        await withdrawDeselectedScopes(tx.sql, { userId: caller.user.id, clientId, scopes })
      }
      return approved
    }),
  )

/** Returns the scope that a user grants, which has to be a part of the requested one. */
async function requirePart(
  ctx: AuthContext,
  { authorizationId, userId, now }: { authorizationId: string; userId: string; now: Date },
  scope: string,
): Promise<string> {
  const opened = await openAuthorization(ctx.sql, { id: authorizationId }, { userId, now })
  if (!opened || opened.is_first) throw authorizationNotFound()
  const requested = scopesIn(opened.authorization.request.scope)
  const granted = scopesIn(scope)
  if (granted.length === 0 || !granted.every((one) => requested.includes(one))) {
    throw validationFailed('scope: has to contain scopes of the request')
  }
  return granted.join(' ')
}

function requireDecided(
  decided: Awaited<ReturnType<typeof denyAuthorization>>,
): OauthAuthorizationRow {
  if (!decided) throw authorizationNotFound()
  if (!decided.is_decided) throw validationFailed('authorization request is no longer pending')
  return decided.authorization
}

const detailsOf = (
  { id, request }: OauthAuthorizationRow,
  { clientId, clientName, clientUri, logoUri }: OauthClient,
  user: Caller['user'],
): AuthorizationDetails => ({
  authorizationId: id,
  redirectUri: request.redirect_uri,
  client: { clientId, clientName, clientUri, logoUri },
  user: { id: user.id, email: user.email },
  scope: request.scope,
  resource: request.resource ?? null,
})
