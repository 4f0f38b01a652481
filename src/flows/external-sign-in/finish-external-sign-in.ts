import type { ExternalTokens } from '../../config/sections/provider-definition.ts'
import type { AuthContext } from '../../deps.ts'
import { AuthError } from '../../errors/auth-error.ts'
import { sha256Hex } from '../../kit/digest.ts'
import { isUuid } from '../../kit/uuid.ts'
import { consumeOauthState } from '../../oauth-states/consume-oauth-state.sql.ts'
import type { OauthStateRow } from '../../oauth-states/oauth-state.entity.ts'
import {
  invalidState,
  missingState,
  stateExpired,
  stateNotFound,
  stateOfAnotherBrowser,
} from '../../oauth-states/oauth-state-errors.ts'
import { describeFault } from '../../observability/describe-fault.ts'
import { emailNotRead } from '../../providers/protocol/provider-errors.ts'
import {
  type PreparedSignIn,
  prepareCode,
  prepareSession,
  type SignInRows,
} from '../../steps/complete-sign-in.ts'
import { mapPerson } from '../../steps/external-person.ts'
import {
  type BrowserOutcome,
  finishInBrowser,
  noteRefusal,
  oauthErrors,
  withQuery,
} from '../../steps/finish-in-browser.ts'
import { linkIdentity } from '../../steps/link-identity.ts'
import { signInExternally } from '../../steps/sign-in-externally.ts'
import { acceptInvitation } from './accept-invitation.ts'

/** Somebody who comes back from a provider. */
export interface Return {
  state?: string | undefined
  /** Another parameter of the callback. */
  parameter(name: string): string | undefined
  /** The secret that ties this browser to its departures. */
  browser: string | null
}

/**
 * Takes somebody back from a provider and says where the browser goes with what came of it: a session, a code for one,
 * or an error. A state is good once, in the browser that left with it or for whoever has the code verifier.
 *
 * @returns the target; with `hasState` false where nothing is known of a departure, and the site is all there is.
 */
export async function finishExternalSignIn(
  ctx: AuthContext,
  given: Return,
): Promise<{ location: string; hasState: boolean }> {
  const { state, failure } = await takeState(ctx, given).then(
    (taken) => ({ state: taken, failure: null }),
    (error: unknown) => {
      noteRefusal(ctx.request, error)
      return { state: null, failure: describeFailure(ctx, error) }
    },
  )
  if (!state) return { location: withQuery(ctx.config.siteUrl, failure), hasState: false }
  const location = await finishInBrowser(
    {
      request: ctx.request,
      target: ctx.config.externalSignIn.redirectUrl ?? state.redirect_to,
      readsQuery: true,
      describe: (error) => describeFailure(ctx, error, state.provider),
    },
    () => signIn(ctx, state, given),
  )
  return { location, hasState: true }
}

/** @throws AuthError `bad_oauth_callback`, `bad_oauth_state` (400). */
async function takeState(ctx: AuthContext, { state: id, browser }: Return): Promise<OauthStateRow> {
  if (!id) throw missingState()
  if (!isUuid(id)) throw invalidState()
  const state = await consumeOauthState(ctx.sql, id)
  if (!state) throw stateNotFound()
  if (new Date(state.expires_at) <= ctx.clock.now()) throw stateExpired()
  // A code is of no use to another browser, and who links an account was signed in when they left.
  const isBoundOtherwise = state.code_challenge !== null || state.linking_user_id !== null
  const isSameBrowser = browser !== null && sha256Hex(browser) === state.browser_hash
  if (!isBoundOtherwise && !isSameBrowser) throw stateOfAnotherBrowser()
  return state
}

async function signIn(
  asked: AuthContext,
  state: OauthStateRow,
  { parameter }: Return,
): Promise<BrowserOutcome> {
  // Users are looked for where they were when they left: a provider passes no header on.
  const ctx = { ...asked, request: { ...asked.request, audience: state.audience } }
  const { provider, settings } = await ctx.providers.require(state.provider)
  const refusal = parameter('error')
  if (refusal) throw refusedByProvider(refusal, parameter('error_description') ?? '')
  const { profile, tokens } = await provider.arrive({
    parameter: (name) => parameter(name) ?? null,
    codeVerifier: state.code_verifier,
    nonce: state.nonce,
  })
  const person = mapPerson(provider, settings, profile)
  if (person.email === null && !settings.emailOptional) throw emailNotRead()
  const prepare = (userId: string) => prepareEnd(ctx, state, userId, tokens)
  const kept = settings.keepTokens ? tokens : null
  if (state.linking_user_id !== null) {
    const actor = { userId: state.linking_user_id, sessionId: state.linking_session_id }
    const order = { actor, person, tokens: kept, redirectTo: state.redirect_to, prepare }
    return (await linkIdentity(ctx, order)).end
  }
  if (state.invitation_hash !== null) {
    const { invitation_hash: invitationHash } = state
    return acceptInvitation(ctx, { invitationHash, person, tokens: kept, prepare })
  }
  const { end } = await signInExternally(ctx, {
    person,
    settings,
    tokens: kept,
    redirectTo: state.redirect_to,
    browserHash: state.browser_hash,
    prepare,
  })
  return end
}

/** What the client gets: a session in the fragment, or a code, as it asked for. */
function prepareEnd(
  ctx: AuthContext,
  { provider, code_challenge: value, code_challenge_method: method }: OauthStateRow,
  userId: string,
  { accessToken, refreshToken }: ExternalTokens,
): PreparedSignIn<SignInRows, BrowserOutcome> {
  if (value !== null && method !== null) {
    return prepareCode(ctx, {
      userId,
      codeChallenge: { value, method },
      method: 'oauth',
      providerTokens: { accessToken, refreshToken },
    })
  }
  const { rows, complete } = prepareSession(ctx, { userId, method: 'oauth' })
  return {
    rows,
    complete: async (user) => ({
      session: (await complete(user)).session,
      facts: {
        provider,
        provider_token: accessToken,
        ...(refreshToken !== null && { provider_refresh_token: refreshToken }),
      },
    }),
  }
}

/** OAuth's own words, as a provider may send them. @see RFC 6749 §4.1.2.1 */
const wordForm = /^[\x20-\x21\x23-\x5b\x5d-\x7e]{1,100}$/

const refusedByProvider = (error: string, description: string): AuthError =>
  new AuthError('bad_oauth_callback', 400, description.slice(0, 500), {
    oauthError: wordForm.test(error) ? error : 'server_error',
  })

/** What the sign-in was refused for, in the words that a client looks for. */
function describeFailure(
  ctx: AuthContext,
  error: unknown,
  provider: string | null = null,
): Record<string, string> {
  const fields = { requestId: ctx.request.id, provider, fault: describeFault(error) }
  if (!(error instanceof AuthError)) {
    ctx.logger.error(fields, 'request failed')
    return {
      error: 'server_error',
      error_code: 'unexpected_failure',
      error_description: 'Unexpected failure, please check server logs for more information',
    }
  }
  const { code, status, message, details } = error
  if (details.oauthError) {
    return { error: details.oauthError, ...(message && { error_description: message }) }
  }
  if (status >= 500) {
    ctx.logger.warn(fields, 'sign-in failed')
  }
  return {
    error: denials.includes(code) ? 'access_denied' : (oauthErrors[status] ?? 'server_error'),
    error_code: code,
    error_description: message,
  }
}

const denials: readonly string[] = [
  'signup_disabled',
  'user_banned',
  'provider_email_needs_verification',
]
