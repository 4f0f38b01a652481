import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Actor } from '../../accounts/callers/authenticate-caller.ts'
import { type AccountName, nameOfAccount } from '../../accounts/external-sign-in/account-name.ts'
import type { ExternalPurpose } from '../../accounts/external-sign-in/decide-account.ts'
import {
  requireLinker,
  requireManualLinking,
} from '../../accounts/external-sign-in/require-may-link.ts'
import { displayNameOf } from '../../accounts/users/display-name.ts'
import type { ExternalAccount } from '../../credentials/external/external-account.ts'
import type { OauthStateRow } from '../../credentials/oauth-states/oauth-state.entity.ts'
import { storeOauthState } from '../../credentials/oauth-states/oauth-states.sql.ts'
import type { GrantedTokens } from '../../platform/config/sections/provider-definition.ts'
import { sha256Hex } from '../../platform/kit/digest.ts'
import { seal, unseal } from '../../platform/kit/sealed-box.ts'

/** An identity that a provider has proved, with its tokens. */
export interface ProvedIdentity {
  person: ExternalAccount
  tokens: GrantedTokens
}

/**
 * The content of the page that confirms the linking of an identity, and the secrets of its form.
 */
export interface PendingLink {
  /** The secret of the form, valid once. */
  secret: string
  /** The secret of the browser: the page stores it in a cookie. */
  browser: string
  provider: {
    label: string
    /** The name of the account at the provider. */
    account: string
  }
  account: AccountName
}

/**
 * Stores a proved identity, sealed, until this browser confirms that it is to be linked. Nothing is
 * linked, and no code or session is issued.
 *
 * @param browser null where the browser has no secret yet.
 * @throws AuthError as `requireLinker` does.
 */
export async function requestConfirmation(
  ctx: AuthContext,
  state: OauthStateRow,
  identity: ProvedIdentity,
  browser: string | null,
): Promise<PendingLink> {
  requireManualLinking(ctx)
  const { stored } = await requireLinker(ctx, linkerOf(state))
  const secret = ctx.random.uuid()
  const secretOfBrowser = browser ?? ctx.random.hex(16)
  const now = ctx.clock.now()
  const { lifetimeSeconds } = ctx.config.externalSignIn
  const account = nameOfAccount(stored.user)
  await storeOauthState(ctx.sql, {
    ...state,
    id: secret,
    browser_hash: sha256Hex(secretOfBrowser),
    code_verifier: null,
    nonce: null,
    proved_identity: seal(
      ctx.roots,
      linkConfirmationBox(secret),
      JSON.stringify({ ...identity, account }),
    ),
    expires_at: new Date(now.getTime() + lifetimeSeconds * 1000).toISOString(),
    created_at: now.toISOString(),
  })
  const { person } = identity
  return {
    secret,
    browser: secretOfBrowser,
    provider: { label: person.label, account: displayNameOf(person) },
    account,
  }
}

/**
 * Returns the identity of a confirmed page, and the purpose with the account as the page named it.
 */
export function openConfirmation(
  { roots }: Pick<AuthContext, 'roots'>,
  state: OauthStateRow,
): { identity: ProvedIdentity; purpose: ExternalPurpose } {
  const { id, proved_identity } = state
  const { person, tokens, account }: SealedConfirmation = JSON.parse(
    unseal(roots, linkConfirmationBox(id), proved_identity ?? ''),
  )
  const expiresAt = tokens.expiresAt === null ? null : new Date(tokens.expiresAt)
  return {
    identity: { person, tokens: { ...tokens, expiresAt } },
    purpose: { kind: 'linking', actor: linkerOf(state), shownAccount: account },
  }
}

/** The sealed content in JSON. */
interface SealedConfirmation {
  account: AccountName
  person: ExternalAccount
  tokens: Omit<GrantedTokens, 'expiresAt'> & { expiresAt: string | null }
}

/** The context of the box that holds a proved identity. */
export const linkConfirmationBox = (id: string): string => `linking:${id}`

/** @throws Error for a state of another flow. */
export function linkerOf({
  linking_user_id: userId,
  linking_session_id: sessionId,
}: OauthStateRow): Actor {
  if (userId === null) throw new Error('the state is of no linking flow')
  return { userId, sessionId }
}
