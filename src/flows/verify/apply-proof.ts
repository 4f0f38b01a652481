import type { AuthContext } from '../../deps.ts'
import { linkExpired } from '../../one-time-tokens/one-time-token-errors.ts'
import { needsBothAddresses } from '../../steps/email-change-message.ts'
import {
  type ProvedUser,
  proveAddress,
  withoutPendingChange,
  withoutRegisteredMetadata,
  withoutUnprovedCredentials,
  withProvedAddress,
} from '../../steps/prove-address.ts'
import { requesterOf } from '../../steps/requester-of.ts'
import type { Address } from '../../users/addresses.ts'
import { providersOf } from '../../users/new-user.ts'
import { isSameClient, isUnclaimed } from '../../users/registration.ts'
import { isOpenedBy, type User } from '../../users/user.ts'
import type { Proof } from './proof.ts'

/** What a proof makes of an account; `isComplete` is false while the other address has to confirm. */
export interface AppliedProof extends ProvedUser {
  isComplete: boolean
}

/** Works out what a proof does. Nothing is written yet. */
export function applyProof(ctx: AuthContext, proof: Proof): AppliedProof {
  const { token } = proof
  if (token.purpose === 'phone_change') return changePhone(ctx, proof)
  if (token.purpose.startsWith('email_change')) return changeEmail(ctx, proof)

  const now = ctx.clock.now()
  const stored = inAudienceAskedFor(ctx, proof)
  const { user } = stored
  const kind = user.email === token.sent_to ? 'email' : 'phone'
  // The user has another address by now, and this proves one that is not theirs any more.
  if (user[kind] !== token.sent_to || !isOpenedBy(user, kind)) throw linkExpired()
  const address = { kind, value: token.sent_to } as const
  const needs = { random: ctx.random, now }
  const proved = proveAddress(needs, stored, address, token.requested_by)
  if (!proof.isOwnBrowser || !proved.endsSessions) return { ...proved, isComplete: true }
  return { ...proved, user: withProviderOf(proved.user, user), isComplete: true }
}

/**
 * The browser that came with an account at a provider has proved the address that the provider had not: the account
 * was brought by whoever proves, so it stays.
 */
function withProviderOf(proved: User, before: User): User {
  const own = before.identities.filter(
    ({ provider, identityData }) =>
      provider !== 'email' && provider !== 'phone' && identityData['email'] === proved.email,
  )
  const identities = [...own, ...proved.identities]
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
 * The user in the audience that the proof was asked for in, where it may decide that: an account that nobody has
 * proved goes where its owner asked to be, whoever registered it elsewhere. Where clients compete, that is where the
 * application is that brings the proof; of links that a browser follows, only one that this very client asked for
 * says where.
 */
function inAudienceAskedFor(
  ctx: AuthContext,
  { token, stored, isBrought }: Proof,
): Proof['stored'] {
  const isContested = stored.registration?.by === 'rivals'
  const isOwnRequest = isSameClient(token.requested_from, requesterOf(ctx))
  const isMeant = isBrought && token.audience === ctx.request.audience
  const decides = isUnclaimed(stored) && (!isContested || isOwnRequest || isMeant)
  if (!decides || token.audience === '') return stored
  return { ...stored, user: { ...stored.user, audience: token.audience } }
}

/** The first of two addresses that confirm a change only says yes; the second brings it about. */
function changeEmail(ctx: AuthContext, proof: Proof): AppliedProof {
  const { token, stored } = proof
  const now = ctx.clock.now()
  const { user, passwordHash } = stored
  const { newEmail } = user
  const expected = token.purpose === 'email_change_new' ? newEmail : user.email
  if (newEmail === null || token.sent_to !== expected) throw linkExpired()
  const isCurrent = token.purpose === 'email_change_current'
  // The current address says yes to a change, and brings about none; one that nobody proved says nothing.
  if (isCurrent && !needsBothAddresses(ctx, user)) throw linkExpired()
  if (needsBothAddresses(ctx, user)) {
    const half = isCurrent ? 'current' : 'new'
    if (user.emailChangeConfirmedBy === half) throw linkExpired()
    if (user.emailChangeConfirmedBy === null) {
      const waiting = { ...user, emailChangeConfirmedBy: half, updatedAt: now } as const
      return { user: waiting, passwordHash, endsSessions: false, isComplete: false }
    }
  }
  return changeAddress(ctx, proof, { kind: 'email', value: newEmail })
}

function changePhone(ctx: AuthContext, proof: Proof): AppliedProof {
  const { token, stored } = proof
  const { newPhone } = stored.user
  if (newPhone === null || token.sent_to !== newPhone) throw linkExpired()
  return changeAddress(ctx, proof, { kind: 'phone', value: newPhone })
}

/**
 * A change asked for in a session that rests on no proved address proves too little to keep the rest. That of a user
 * without an address does where the client proves it that asked for it: another one may be the owner of the address,
 * whom the user hopes to be confirmed by.
 */
function changeAddress(ctx: AuthContext, { token, stored }: Proof, address: Address): AppliedProof {
  const { user, passwordHash } = stored
  const hasNoAddress = user.isAnonymous || (user.email === null && user.phone === null)
  const isUpgrade = hasNoAddress && isSameClient(token.requested_from, requesterOf(ctx))
  const isOwn = user.emailConfirmedAt || user.phoneConfirmedAt || isUpgrade
  const own = isOwn ? user : withoutUnprovedCredentials(user, address)
  // An operator's gift counts as a rival; beside it somebody without an address has none.
  const isContested = stored.registration?.by === 'rivals' || hasNoAddress
  const losesMetadata = isContested && !isUpgrade
  const kept = losesMetadata ? withoutRegisteredMetadata(own, stored.registration) : own
  const changed = withoutPendingChange(kept, address)
  const needs = { random: ctx.random, now: ctx.clock.now() }
  return {
    user: withProvedAddress(needs, changed, address),
    passwordHash: isOwn ? passwordHash : null,
    endsSessions: !isOwn,
    isComplete: true,
  }
}
