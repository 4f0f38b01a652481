import type { AuthContext } from '../deps.ts'
import { validationFailed } from '../errors/request-errors.ts'
import { sha256Hex } from '../kit/digest.ts'
import { requireShort } from '../kit/storable-text.ts'
import { storeOauthState } from '../oauth-states/store-oauth-state.sql.ts'
import { describeFault } from '../observability/describe-fault.ts'
import { type CodeChallengeInput, readCodeChallenge } from '../one-time-tokens/code-challenge.ts'
import { findByLink } from '../one-time-tokens/find-by-link.sql.ts'
import { allowedRedirect, type RedirectWish } from '../redirects/allowed-redirect.ts'
import { storedUserColumns } from '../users/find-user.sql.ts'
import { invitationNotFound } from '../users/user-errors.ts'

/** Somebody who wants to sign in with a provider, or to link an account there. */
export interface Departure extends CodeChallengeInput {
  provider?: string | undefined
  /** Scopes beside those of the provider, separated by commas. */
  scopes?: string | undefined
  /** The secret of the link of an invitation that is accepted by this. */
  inviteToken?: string | undefined
  redirect?: RedirectWish | undefined
  /** Further parameters for the provider. */
  parameters?: Readonly<Record<string, string>>
}

/** What ties somebody's return to their departure, where no code verifier does. */
export type Binding =
  /** A secret that this browser alone has. */
  | { browser: string }
  /** Who is signed in, and links an account. */
  | { userId: string; sessionId: string | null }
  /** Nothing: then there has to be a code challenge. */
  | null

/**
 * Says where to send somebody so that they sign in with a provider, and remembers what is to come of it.
 *
 * @throws AuthError `validation_failed` (400), `user_not_found` (404) for an unknown invitation.
 */
export async function leaveForProvider(
  ctx: AuthContext,
  departure: Departure,
  binding: Binding,
): Promise<{ url: string }> {
  const { provider } = await ctx.providers.require(departure.provider ?? '')
  const invitationHash = await requireInvitation(ctx, departure.inviteToken)
  const codeChallenge = readCodeChallenge(departure)
  if (codeChallenge === null && binding === null) {
    throw validationFailed('code_challenge: is required where no browser is there to come back')
  }
  const state = ctx.random.uuid()
  const now = ctx.clock.now()
  const { url, codeVerifier, nonce } = await provider
    .depart({
      state,
      scopes: splitScopes(departure.scopes),
      parameters: departure.parameters ?? {},
    })
    .catch((error: unknown) => {
      const fields = { requestId: ctx.request.id, provider: provider.name }
      ctx.logger.warn({ ...fields, fault: describeFault(error) }, 'provider could not be asked')
      throw error
    })
  // It is stored, and anybody can have it stored.
  if (nonce !== null) requireShort(nonce, 'nonce')
  const isLinking = binding !== null && 'userId' in binding
  await storeOauthState(ctx.sql, {
    id: state,
    provider: provider.name,
    browser_hash: binding !== null && 'browser' in binding ? sha256Hex(binding.browser) : null,
    code_challenge: codeChallenge?.value ?? null,
    code_challenge_method: codeChallenge?.method ?? null,
    code_verifier: codeVerifier,
    nonce,
    redirect_to: allowedRedirect(ctx, departure.redirect ?? {}),
    audience: ctx.request.audience,
    linking_user_id: isLinking ? binding.userId : null,
    linking_session_id: isLinking ? binding.sessionId : null,
    invitation_hash: invitationHash,
    expires_at: new Date(
      now.getTime() + ctx.config.externalSignIn.lifetimeSeconds * 1000,
    ).toISOString(),
    created_at: now.toISOString(),
  })
  return { url }
}

/** The hash of an invitation's secret, where there is such an invitation. */
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
