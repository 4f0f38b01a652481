import type { Address } from './addresses.ts'
import { addressIdentity, addressIdentityData, providersOf } from './new-user.ts'
import type { Identity, User } from './user.ts'

/** A request for a change of address. */
interface ChangeRequest {
  now: Date
  /** The newest proof of the requesting session where that is not recent; else null. */
  provedAt: Date | null
}

/** Returns an account with an address that becomes its own once it is confirmed. */
export const withPendingEmail = (
  user: User,
  newEmail: string,
  { now, provedAt }: ChangeRequest,
): User => ({
  ...user,
  newEmail,
  changeProvedAt: user.newPhone === null ? provedAt : oldest(user.changeProvedAt, provedAt),
  emailChangeSentAt: now,
  emailChangeConfirmedBy: null,
})

/** Returns an account with a phone number that becomes its own once it is confirmed. */
export const withPendingPhone = (
  user: User,
  newPhone: string,
  { now, provedAt }: ChangeRequest,
): User => ({
  ...user,
  newPhone,
  changeProvedAt: user.newEmail === null ? provedAt : oldest(user.changeProvedAt, provedAt),
  phoneChangeSentAt: now,
})

const oldest = (one: Date | null, other: Date | null): Date | null =>
  one !== null && other !== null && other < one ? other : (one ?? other)

/** Returns an account without its pending changes of address. */
export const withoutPendingChanges = (user: User): User => ({
  ...user,
  newEmail: null,
  emailChangeSentAt: null,
  emailChangeConfirmedBy: null,
  newPhone: null,
  phoneChangeSentAt: null,
})

/** The columns of `users` without pending changes of address. */
export const noPendingChanges = {
  new_email: null,
  email_change_sent_at: null,
  email_change_confirm_status: 0,
  new_phone: null,
  phone_change_sent_at: null,
} as const

/**
 * Returns an account without the times of sent messages. After a change of password, earlier links
 * and codes are not accepted.
 */
export const withoutPendingProofs = (user: User): User => ({
  ...user,
  confirmationSentAt: null,
  recoverySentAt: null,
  emailChangeSentAt: null,
  phoneChangeSentAt: null,
  reauthenticationSentAt: null,
})

interface Needs {
  now: Date
}

/**
 * Returns an account with an address, and with the identity for it. It does not confirm the
 * address.
 */
export function assignAddress(needs: Needs, user: User, address: Address): User {
  const unconfirmed = { ...address, confirmed: false }
  const assigned = { ...user, [address.kind]: address.value }
  if (user.identities.some(({ provider }) => provider === address.kind)) {
    const facts = addressIdentityData(user.id, unconfirmed)
    return { ...assigned, identities: withFacts(needs, user, address.kind, facts) }
  }
  const { appMetadata } = user
  const known = Array.isArray(appMetadata['providers']) ? appMetadata['providers'] : []
  return {
    ...assigned,
    identities: [...user.identities, addressIdentity(needs, user.id, unconfirmed)],
    appMetadata: providersOf(appMetadata, [...known, address.kind]),
  }
}

/**
 * Returns an account with a confirmed address. It is no longer anonymous. An earlier time of
 * confirmation stays.
 */
export function confirmAddress(needs: Pick<Needs, 'now'>, user: User, kind: Address['kind']): User {
  if (!user[kind]) return user
  const identities = withFacts(needs, user, kind, { [`${kind}_verified`]: true })
  if (kind === 'phone') {
    return {
      ...user,
      phoneConfirmedAt: user.phoneConfirmedAt ?? needs.now,
      identities,
      isAnonymous: false,
    }
  }
  return {
    ...user,
    emailConfirmedAt: user.emailConfirmedAt ?? needs.now,
    userMetadata: { ...user.userMetadata, email_verified: true },
    identities,
    isAnonymous: false,
  }
}

/** Returns the identities of an account, with these facts in the one for this kind of address. */
const withFacts = (
  { now }: Pick<Needs, 'now'>,
  { identities }: User,
  kind: Address['kind'],
  facts: Record<string, unknown>,
): Identity[] =>
  identities.map((identity) =>
    identity.provider === kind
      ? { ...identity, identityData: { ...identity.identityData, ...facts }, updatedAt: now }
      : identity,
  )
