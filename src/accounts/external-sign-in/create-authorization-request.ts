import { storeOauthState } from '../../credentials/oauth-states/oauth-states.sql.ts'
import { allowedRedirect, type RequestedRedirect } from '../../limits/redirects/allowed-redirect.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { sha256Hex } from '../../platform/kit/digest.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import type { AuthContext } from '../auth-context.ts'
import type { Actor, Caller } from '../callers/authenticate-caller.ts'
import { type CodeChallengeInput, readCodeChallenge } from '../one-time-tokens/code-challenge.ts'
import { findByLink } from '../one-time-tokens/one-time-tokens.sql.ts'
import { storedUserColumns } from '../users/find-user.sql.ts'
import { invitationNotFound } from '../users/user-errors.ts'
import { requireMayLink } from './require-may-link.ts'

/** The start of a flow through a provider, as requested. */
export interface ExternalFlowStart extends CodeChallengeInput {
  provider?: string | undefined
  /** Scopes in addition to the provider's own, separated by commas. */
  scopes?: string | undefined
  /** The secret of the link of an invitation that the sign-in accepts. */
  inviteToken?: string | undefined
  redirect?: RequestedRedirect | undefined
  /** Further parameters for the provider. */
  parameters?: Readonly<Record<string, string>>
  /**
   * The secret of the browser that opens the flow; null where another browser opens it. A sign-in
   * then requires a code challenge, and a linking flow a confirmation.
   */
  browser: string | null
}

/**
 * Returns the authorization URL of a flow that links an identity to the user of a session.
 *
 * @throws AuthError `manual_linking_disabled` (404), `session_not_found`, `session_expired`,
 *   `insufficient_aal`, `reauthentication_needed` (403), `validation_failed` (400) for an unknown
 *   provider or an invalid code challenge.
 */
export async function createLinkingRequest(
  ctx: AuthContext,
  caller: Caller,
  start: ExternalFlowStart,
): Promise<{ url: string }> {
  const linker = requireMayLink(ctx, caller)
  // An invitation is accepted by a sign-in.
  return createAuthorizationRequest(ctx, { ...start, inviteToken: undefined }, linker)
}

/**
 * Returns the authorization URL of a flow through a provider, and stores its state.
 *
 * @param linker the user who links an identity; null for a sign-in.
 * @throws AuthError `validation_failed` (400) for an unknown provider or an invalid code challenge,
 *   `user_not_found` (404) for an unknown invitation.
 */
export async function createAuthorizationRequest(
  ctx: AuthContext,
  start: ExternalFlowStart,
  linker: Actor | null = null,
): Promise<{ url: string }> {
  const { browser } = start
  const { provider } = await ctx.providers.require(start.provider ?? '')
  const invitationHash = await requireInvitation(ctx, start.inviteToken)
  const codeChallenge = readCodeChallenge(start)
  if (codeChallenge === null && browser === null && linker === null) {
    throw validationFailed('code_challenge: is required when the flow is started in code')
  }
  const state = ctx.random.uuid()
  const now = ctx.clock.now()
  const { url, codeVerifier, nonce, redirectUri } = await provider
    .createAuthorizationUrl({
      state,
      scopes: splitScopes(start.scopes),
      parameters: start.parameters ?? {},
    })
    .catch((error: unknown) => {
      const fields = { requestId: ctx.request.id, provider: provider.name }
      ctx.logger.warn({ ...fields, fault: describeFault(error) }, 'provider did not respond')
      throw error
    })
  await storeOauthState(ctx.sql, {
    id: state,
    provider: provider.name,
    browser_hash: browser === null ? null : sha256Hex(browser),
    code_challenge: codeChallenge?.value ?? null,
    code_challenge_method: codeChallenge?.method ?? null,
    code_verifier: codeVerifier,
    nonce,
    redirect_to: allowedRedirect(ctx, start.redirect ?? {}),
    redirect_uri: redirectUri,
    audience: ctx.request.audience,
    linking_user_id: linker?.userId ?? null,
    linking_session_id: linker?.sessionId ?? null,
    invitation_hash: invitationHash,
    expires_at: new Date(
      now.getTime() + ctx.config.externalSignIn.lifetimeSeconds * 1000,
    ).toISOString(),
    created_at: now.toISOString(),
  })
  return { url }
}

/** Returns the hash of the secret of an invitation; null without one. */
async function requireInvitation(
  { sql, clock }: AuthContext,
  secret: string | undefined,
): Promise<string | null> {
  if (!secret) return null
  const found = await findByLink(sql, storedUserColumns, {
    secret,
    purposes: ['confirmation'],
    now: clock.now(),
  })
  if (!found) throw invitationNotFound()
  return found.token.token_hash
}

const splitScopes = (scopes = ''): string[] => scopes.split(',').filter((scope) => scope !== '')
