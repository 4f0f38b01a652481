import { needsBothAddresses } from '../../accounts/addresses/email-change-message.ts'
import {
  atFirstAddress,
  awaitsFirstAddress,
  type ConfirmedUser,
  reclaimedBy,
} from '../../accounts/addresses/first-address.ts'
import {
  proveAddress,
  withConfirmedAddress,
  withoutPendingChange,
  withoutSignUpMetadata,
  withUnconfirmedPending,
} from '../../accounts/addresses/prove-address.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { linkExpired } from '../../accounts/one-time-tokens/one-time-token-errors.ts'
import { clientOfRequester } from '../../accounts/one-time-tokens/one-time-token-row.ts'
import { changedKindOf } from '../../accounts/one-time-tokens/token-purpose.ts'
import type { Address } from '../../accounts/users/addresses.ts'
import { providersOf } from '../../accounts/users/new-user.ts'
import { isSameClient, isUnclaimed } from '../../accounts/users/sign-up-origin.ts'
import {
  hasConfirmed,
  hasConfirmedAddress,
  hasVerifiedFactor,
  type Identity,
  isAddressIdentity,
  isOpenedBy,
  type User,
} from '../../accounts/users/user.ts'
import { requesterOf } from '../../limits/requester-of.ts'
import type { MatchedToken } from './matched-token.ts'

/**
 * The account after a verified token. `isComplete` is false while the other address must still
 * confirm.
 */
export interface AppliedToken extends ConfirmedUser {
  isComplete: boolean
  /** The passkey or identity whose suspension ends. */
  resumedId?: string | null
}

/** Computes the effects of a verified token. Nothing is written yet. */
export function applyToken(ctx: AuthContext, matched: MatchedToken): AppliedToken {
  const { token, sentTo } = matched
  if (token.purpose === 'credential') return resumeCredential(ctx, matched)
  const changedKind = changedKindOf(token)
  if (changedKind === 'phone') return changePhone(ctx, matched)
  if (changedKind === 'email') return changeEmail(ctx, matched)

  const now = ctx.clock.now()
  const stored = inRequestedAudience(ctx, matched)
  const { user } = stored
  const { kind, value } = sentTo
  // The account has another address now: this token proves one that no longer belongs to it.
  if (user[kind] !== value || !isOpenedBy(user, kind)) throw linkExpired()
  const proved = proveAddress({ now }, stored, sentTo, token.requested_by)
  if (!matched.isOwnBrowser || proved.causes.length === 0) return { ...proved, isComplete: true }
  return { ...proved, user: withProviderOf(proved.user, user), isComplete: true }
}

/**
 * Keeps the identity whose address the provider had not verified. The browser of that sign-in has
 * now proved it.
 */
function withProviderOf(proved: User, before: User): User {
  const own = before.identities.filter(
    (identity) => !isAddressIdentity(identity) && identity.identityData['email'] === proved.email,
  )
  const others = proved.identities.filter(({ id }) => !own.some((identity) => identity.id === id))
  const identities = [...own, ...others]
  return {
    ...proved,
    identities,
    appMetadata: providersOf(
      proved.appMetadata,
      identities.map(({ provider }) => provider),
    ),
  }
}

/**
 * Returns the user in the audience of the message's request, where that decides: only for an
 * account without a confirmed address. With competing sign-ups, the client must also be the
 * requester, or an application of that audience must submit the token.
 */
function inRequestedAudience(
  ctx: AuthContext,
  { token, stored, isSubmitted }: MatchedToken,
): MatchedToken['stored'] {
  const isContested = stored.signUpOrigin?.by === 'contested'
  const isSameNetwork = isSameClient(clientOfRequester(token.requested_from), requesterOf(ctx))
  const isMeant = isSubmitted && token.audience === ctx.request.audience
  const decides = isUnclaimed(stored) && (!isContested || isSameNetwork || isMeant)
  if (!decides || token.audience === '') return stored
  return { ...stored, user: { ...stored.user, audience: token.audience } }
}

/**
 * Ends the suspension of the passkey or identity in the message, where the address is still the
 * account's, and no second factor has been verified since.
 */
function resumeCredential(ctx: AuthContext, { token, sentTo, stored }: MatchedToken): AppliedToken {
  const { user, passwordHash } = stored
  const { kind, value } = sentTo
  const isOwn = user[kind] === value && hasConfirmed(user, kind)
  if (token.credential_id === null || !isOwn || hasVerifiedFactor(user)) throw linkExpired()
  const { credential_id: resumedId } = token
  const identities = user.identities.map((identity) =>
    identity.id === resumedId ? { ...identity, suspendedAt: null } : identity,
  )
  const resumed = { ...user, identities, updatedAt: ctx.clock.now() }
  return { user: resumed, passwordHash, causes: [], isComplete: true, resumedId }
}

/** Records the first of two confirmations of a change; the second completes the change. */
function changeEmail(ctx: AuthContext, matched: MatchedToken): AppliedToken {
  const { token, sentTo, stored } = matched
  const now = ctx.clock.now()
  const { user, passwordHash } = stored
  const { newEmail } = user
  const expected = token.purpose === 'email_change_new' ? newEmail : user.email
  if (newEmail === null || sentTo.value !== expected) throw linkExpired()
  const isCurrent = token.purpose === 'email_change_current'
  // The current address only confirms a change, and does not complete one. An unconfirmed address
  // cannot confirm.
  if (isCurrent && !needsBothAddresses(ctx, user)) throw linkExpired()
  if (needsBothAddresses(ctx, user)) {
    const half = isCurrent ? 'current' : 'new'
    if (user.emailChangeConfirmedBy === half) throw linkExpired()
    if (user.emailChangeConfirmedBy === null) {
      const waiting = { ...user, emailChangeConfirmedBy: half, updatedAt: now } as const
      return { user: waiting, passwordHash, causes: [], isComplete: false }
    }
  }
  return changeAddress(ctx, matched, { kind: 'email', value: newEmail })
}

function changePhone(ctx: AuthContext, matched: MatchedToken): AppliedToken {
  const { newPhone } = matched.stored.user
  if (newPhone === null || matched.sentTo.value !== newPhone) throw linkExpired()
  return changeAddress(ctx, matched, { kind: 'phone', value: newPhone })
}

/**
 * Whether the verifying client is the requester, identified by browser for an external sign-in,
 * else by network.
 */
const isOwnRequest = (ctx: AuthContext, { token, isOwnBrowser }: MatchedToken): boolean =>
  token.requested_by === 'provider'
    ? isOwnBrowser
    : isSameClient(clientOfRequester(token.requested_from), requesterOf(ctx))

/**
 * Confirms the requested address.
 *
 * A change requested in a session of an account with another confirmed address keeps everything.
 * Any other gives the account its first confirmed address, which ends its earlier sessions,
 * password and factors. An account with another, unconfirmed address also loses its passkeys and
 * identities; an account without an address keeps them, suspended. Metadata stays where the
 * verifying client requested the address. Another client may be the owner of the address, and the
 * requester an attacker who expects that owner to confirm it.
 */
function changeAddress(ctx: AuthContext, matched: MatchedToken, address: Address): AppliedToken {
  const { user, passwordHash, signUpOrigin } = matched.stored
  const needs = { now: ctx.clock.now() }
  const proved = (own: User): User =>
    withConfirmedAddress(needs, withoutPendingChange(own, address), address)
  if (hasConfirmedAddress(user)) {
    return { user: proved(user), passwordHash, causes: [], isComplete: true }
  }
  const isFirst = awaitsFirstAddress(user)
  const isUpgrade = isFirst && isOwnRequest(ctx, matched)
  // Unlike in `proveAddress`, an operator's password ends, too: a session requested this address,
  // and the operator did not decide on it.
  const claimed = isFirst
    ? atFirstAddress(needs, matched.stored, {
        keepsPassword: false,
        proving: provingIdentity(matched, address),
      })
    : reclaimedBy(user, address)
  // Metadata of an operator competes, too. An account without an address has no other pending
  // request.
  const isContested = signUpOrigin?.by === 'contested' || isFirst
  const losesMetadata = isContested && !isUpgrade
  const own = losesMetadata ? withoutSignUpMetadata(claimed.user, signUpOrigin) : claimed.user
  return { ...claimed, user: withUnconfirmedPending(proved(own), signUpOrigin), isComplete: true }
}

/**
 * Returns the identity whose unverified address the browser of its external sign-in confirms; null
 * for other requests.
 */
const provingIdentity = (
  { stored, isOwnBrowser }: MatchedToken,
  { value }: Address,
): Identity | null =>
  (isOwnBrowser &&
    stored.user.identities.find(({ identityData }) => identityData['email'] === value)) ||
  null
