import type { AuthContext } from '../../accounts/auth-context.ts'
import type { ExternalPurpose } from '../../accounts/external-sign-in/decide-account.ts'
import { signInExternally } from '../../accounts/external-sign-in/sign-in-externally.ts'
import { prepareCode, prepareSession } from '../../accounts/sign-in/complete-sign-in.ts'
import {
  type BrowserFlow,
  type BrowserOutcome,
  describeFailure,
  noteRejection,
  withOutcome,
  withQuery,
  withRejection,
} from '../../accounts/sign-in/finish-in-browser.ts'
import type { IssuedSession } from '../../accounts/sign-in/issue-session.ts'
import { hasVerifiedFactor } from '../../accounts/users/user.ts'
import { mapExternalAccount } from '../../credentials/external/external-account.ts'
import {
  emailNotRead,
  rejectedByProvider,
} from '../../credentials/external/protocol/provider-errors.ts'
import type { OauthStateRow } from '../../credentials/oauth-states/oauth-state.entity.ts'
import {
  callbackOfAnotherProvider,
  invalidState,
  linkingCanceled,
  missingState,
  stateExpired,
  stateNotFound,
  stateOfAnotherBrowser,
} from '../../credentials/oauth-states/oauth-state-errors.ts'
import {
  consumeLinkConfirmation,
  consumeOauthState,
} from '../../credentials/oauth-states/oauth-states.sql.ts'
import { sha256Hex } from '../../platform/kit/digest.ts'
import { isUuid } from '../../platform/kit/uuid.ts'
import {
  linkerOf,
  openConfirmation,
  type PendingLink,
  type ProvedIdentity,
  requestConfirmation,
} from './link-confirmation.ts'

/** A callback from a provider, as received. */
export interface ReceivedCallback {
  /**
   * Returns a parameter of the callback.
   *
   * @throws AuthError `validation_failed` for a repeated one.
   */
  parameter(name: string): string | undefined
  /** The provider that the path names; null at the path that all providers share. */
  provider: string | null
  /** The secret in the cookie of the browser; null without one. */
  browser: string | null
  /**
   * The id of the cookie session that the host of the session found in the request; null without
   * one.
   */
  cookieSessionId: string | null
}

/** The response to a callback. */
export type CallbackOutcome =
  /** A redirect to the target; to the site, with `hasState` false, where the state is unknown. */
  | { location: string; hasState: boolean }
  /** A page: this browser must confirm that an identity is to be linked. */
  | { confirmation: PendingLink }

/** A state that was consumed. */
interface ReadState {
  state: OauthStateRow
  /** Whether this browser started the flow, or has the session that started it in its cookies. */
  isBound: boolean
}

/**
 * Serves the callback of a provider: reads the state, exchanges the code, decides, plans and saves
 * the account, and presents a session, a code for one, a page that requires a confirmation, or an
 * error. A state is accepted once, from the browser that started the flow, or for the client that
 * has the code verifier where none did.
 */
export async function serveCallback(
  ctx: AuthContext,
  callback: ReceivedCallback,
): Promise<CallbackOutcome> {
  const read = await readState(ctx, callback).catch((error: unknown) => failure(ctx, error))
  if ('location' in read) return { ...read, hasState: false }
  const flow = flowOf(ctx, read.state)
  try {
    const { state, isBound } = read
    const inAudience = withAudience(ctx, state)
    const proved = await exchange(inAudience, read, callback)
    if (state.linking_user_id !== null && !isBound) {
      const { browser } = callback
      return { confirmation: await requestConfirmation(inAudience, state, proved, browser) }
    }
    const outcome = await signIn(inAudience, state, proved, purposeOf(state))
    return { location: withOutcome(flow, outcome), hasState: true }
  } catch (error) {
    return { location: withRejection(flow, error), hasState: true }
  }
}

/** The form of a confirmation page, as submitted. */
export interface ConfirmationForm {
  secret: string
  /** `link` links the identity; any other value cancels. */
  decision: string | undefined
  /** The secret in the cookie of the browser; null without one. */
  browser: string | null
}

/**
 * Serves the form of a confirmation page: links the identity that its callback proved, once, in the
 * browser that the page was shown in.
 *
 * @returns the target with a code, a session or an error.
 */
export async function serveConfirmation(ctx: AuthContext, form: ConfirmationForm): Promise<string> {
  const read = await readConfirmation(ctx, form).catch((error: unknown) => failure(ctx, error))
  if ('location' in read) return read.location
  const flow = flowOf(ctx, read)
  try {
    if (form.decision !== 'link') throw linkingCanceled()
    const { identity, purpose } = openConfirmation(ctx, read)
    return withOutcome(flow, await signIn(withAudience(ctx, read), read, identity, purpose))
  } catch (error) {
    return withRejection(flow, error)
  }
}

/**
 * The redirect of a flow whose state is not known: no response of the page would show the error.
 */
function failure(ctx: AuthContext, error: unknown): { location: string } {
  noteRejection(ctx.request, error)
  return { location: withQuery(ctx.config.siteUrl, describeFailure(ctx, error)) }
}

const flowOf = (ctx: AuthContext, state: OauthStateRow): BrowserFlow => ({
  request: ctx.request,
  target: ctx.config.externalSignIn.redirectUrl ?? state.redirect_to,
  readsQuery: true,
  describe: (error) => describeFailure(ctx, error, state.provider),
})

/** Users are looked up in the audience of the start: a provider passes no header on. */
const withAudience = (ctx: AuthContext, { audience }: OauthStateRow): AuthContext => ({
  ...ctx,
  request: { ...ctx.request, audience },
})

function purposeOf(state: OauthStateRow): ExternalPurpose {
  if (state.linking_user_id !== null) {
    return { kind: 'linking', actor: linkerOf(state), shownAccount: null }
  }
  const { invitation_hash: tokenHash } = state
  return tokenHash === null ? { kind: 'sign-in' } : { kind: 'invitation', tokenHash }
}

/**
 * Consumes the state of a callback and compares what the flow is bound to. The state of a linking
 * flow is returned for any browser: one that is not bound has to confirm.
 *
 * @throws AuthError `bad_oauth_callback`, `bad_oauth_state` (400).
 */
async function readState(ctx: AuthContext, callback: ReceivedCallback): Promise<ReadState> {
  const id = callback.parameter('state')
  if (!id) throw missingState()
  if (!isUuid(id)) throw invalidState()
  const state = requireCurrent(ctx, await consumeOauthState(ctx.sql, id))
  requireOwnPath(state, callback.provider)
  const isBound = isBoundTo(state, callback)
  // A flow that started without a browser has a code challenge instead.
  const isOfAnother = state.browser_hash !== null && !isBound
  if (isOfAnother && state.linking_user_id === null) throw stateOfAnotherBrowser()
  return { state, isBound }
}

/** @throws AuthError `bad_oauth_state` (400). */
async function readConfirmation(
  ctx: AuthContext,
  { secret: id, browser }: ConfirmationForm,
): Promise<OauthStateRow> {
  if (!isUuid(id) || browser === null) throw stateNotFound()
  const browserHash = sha256Hex(browser)
  return requireCurrent(ctx, await consumeLinkConfirmation(ctx.sql, { id, browserHash }))
}

function requireCurrent({ clock }: AuthContext, state: OauthStateRow | null): OauthStateRow {
  if (!state) throw stateNotFound()
  if (new Date(state.expires_at) <= clock.now()) throw stateExpired()
  return state
}

/**
 * Another session of the user who links does not bind: an attacker can plant one of the own account
 * in the browser of the victim, with a sign-in link.
 */
function isBoundTo(
  { browser_hash, linking_session_id }: OauthStateRow,
  { browser, cookieSessionId }: ReceivedCallback,
): boolean {
  const isSameBrowser = browser !== null && sha256Hex(browser) === browser_hash
  return isSameBrowser || (linking_session_id !== null && cookieSessionId === linking_session_id)
}

/**
 * A response is accepted at the path of its provider. The shared path is for providers whose
 * redirect URI names no path of their own.
 */
function requireOwnPath({ provider, redirect_uri }: OauthStateRow, path: string | null): void {
  if (path === provider) return
  if (path !== null || hasOwnPath(redirect_uri, provider)) throw callbackOfAnotherProvider()
}

/**
 * Whether a redirect URI names the path of its provider, in any spelling that the router reads as
 * this path.
 */
function hasOwnPath(redirectUri: string, provider: string): boolean {
  const path = URL.parse(redirectUri)?.pathname ?? ''
  try {
    const spelled = decodeURIComponent(path).toLowerCase().replace(/\/$/, '')
    return spelled.endsWith(`/callback/${provider}`)
  } catch {
    return false
  }
}

/** Exchanges the code at the provider that the flow was started with, and reads the identity. */
async function exchange(
  ctx: AuthContext,
  { state, isBound }: ReadState,
  { parameter }: ReceivedCallback,
): Promise<ProvedIdentity> {
  const { provider, settings } = await ctx.providers.require(state.provider)
  const response = { parameter: (name: string) => parameter(name) ?? null }
  await provider.requireIssuer(response)
  const error = parameter('error')
  if (error) {
    const description = parameter('error_description') ?? ''
    throw rejectedByProvider({ error, description }, isBound)
  }
  const { profile, tokens } = await provider.handleCallback({
    ...response,
    codeVerifier: state.code_verifier,
    nonce: state.nonce,
    redirectUri: state.redirect_uri,
  })
  const person = mapExternalAccount(provider, settings, profile)
  if (person.email === null && !settings.emailOptional) throw emailNotRead()
  return { person, tokens }
}

async function signIn(
  ctx: AuthContext,
  state: OauthStateRow,
  { person, tokens }: ProvedIdentity,
  purpose: ExternalPurpose,
): Promise<BrowserOutcome> {
  const { settings } = await ctx.providers.require(state.provider)
  const { code_challenge: value, code_challenge_method: method, redirect_to: redirectTo } = state
  const { accessToken, refreshToken } = tokens
  const { user, end } = await signInExternally<IssuedSession | { code: string }>(ctx, {
    purpose,
    person,
    settings,
    singleUse: null,
    tokens: settings.keepTokens ? tokens : null,
    redirectTo,
    browserHash: state.browser_hash,
    prepare: (proved) =>
      value !== null && method !== null
        ? prepareCode(ctx, {
            ...proved,
            codeChallenge: { value, method },
            method: 'oauth',
            providerTokens: { accessToken, refreshToken },
          })
        : prepareSession(ctx, { ...proved, method: 'oauth' }),
  })
  if ('code' in end) return end
  return {
    session: end.session,
    facts: {
      provider: state.provider,
      // As in `getProviderToken`: a user with a factor must prove it first.
      ...(!hasVerifiedFactor(user) && {
        provider_token: accessToken,
        ...(refreshToken !== null && { provider_refresh_token: refreshToken }),
      }),
    },
  }
}
