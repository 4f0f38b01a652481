import type { TokenRequester } from '../one-time-tokens/one-time-token.entity.ts'
import type { Address } from '../users/addresses.ts'
import type { StoredUser } from '../users/find-user.sql.ts'
import {
  addressIdentity,
  addressIdentityData,
  type NewAddress,
  providersOf,
} from '../users/new-user.ts'
import { isConfirmedBy, type SignUpOrigin } from '../users/sign-up-origin.ts'
import { hasConfirmed, hasConfirmedAddress, type Identity, type User } from '../users/user.ts'
import { atFirstAddress, type ConfirmedUser, reclaimedBy } from './first-address.ts'

interface Needs {
  now: Date
}

/**
 * Returns an account after an address of it was proved. It keeps only data that the client that
 * proved the address, or an operator, supplied.
 *
 * The client that signed up with an address need not be its owner. If the confirmation of the
 * sign-up proves the address, the account keeps its password. If any other message proves it, the
 * account loses the password, its sessions, factors, other identities and pending changes. After
 * competing sign-ups it also loses their metadata, whichever link is used.
 *
 * Data from an operator stays, including the password. Credentials beside it are those of other
 * clients, and are suspended.
 */
export function proveAddress(
  needs: Needs,
  { user, passwordHash, signUpOrigin }: Omit<StoredUser, 'version'>,
  address: Address,
  requestedBy: TokenRequester,
): ConfirmedUser {
  if (hasConfirmed(user, address.kind)) return { user, passwordHash, causes: [] }
  if (signUpOrigin === null && !hasConfirmedAddress(user)) {
    const first = atFirstAddress(needs, { user, passwordHash }, { keepsPassword: true })
    return { ...first, user: withConfirmedAddress(needs, first.user, address) }
  }
  if (signUpOrigin === null || isConfirmedBy(signUpOrigin, requestedBy)) {
    return { user: withConfirmedAddress(needs, user, address), passwordHash, causes: [] }
  }
  const claimed = reclaimedBy(user, address)
  const own =
    signUpOrigin.by === 'contested'
      ? withoutSignUpMetadata(claimed.user, signUpOrigin)
      : claimed.user
  const proved = withConfirmedAddress(needs, own, address)
  return { ...claimed, user: withUnconfirmedPending(proved, signUpOrigin) }
}

/**
 * Returns a confirmed account with its other, unconfirmed address as a pending change. There it
 * blocks no other user. Only an operator stores an unconfirmed address beside a confirmed one: an
 * account of an operator keeps both.
 *
 * @param signUpOrigin the sign-up origin before the proof; null for an account of an operator.
 */
export function withUnconfirmedPending(user: User, signUpOrigin: SignUpOrigin | null): User {
  if (signUpOrigin === null || !hasConfirmedAddress(user)) return user
  const kind = hasConfirmed(user, 'email') ? 'phone' : 'email'
  if (user[kind] === null || hasConfirmed(user, kind)) return user
  const pending = kind === 'email' ? 'newEmail' : 'newPhone'
  const identities = user.identities.filter(({ provider }) => provider !== kind)
  return {
    ...user,
    [kind]: null,
    [pending]: user[pending] ?? user[kind],
    identities,
    appMetadata: providersOf(
      user.appMetadata,
      identities.map(({ provider }) => provider),
    ),
  }
}

/**
 * Returns an unconfirmed account without the user name and the metadata that its sign-up origin
 * supplied. Metadata of operators stays.
 */
export function withoutSignUpMetadata(user: User, signUpOrigin: SignUpOrigin | null): User {
  const signUpKeys = signUpOrigin?.keys ?? []
  const kept = Object.entries(user.userMetadata).filter(([key]) => !signUpKeys.includes(key))
  const identities = user.identities.map((identity) => {
    const { provider: kind } = identity
    if (kind !== 'email' && kind !== 'phone') return identity
    const address: NewAddress = { kind, value: user[kind] ?? '', confirmed: false }
    return { ...identity, identityData: addressIdentityData(user.id, address) }
  })
  const username = signUpOrigin === null ? user.username : null
  return { ...user, username, userMetadata: Object.fromEntries(kept), identities }
}

/**
 * Returns an account without the change of address that a proof completes. A number is proved
 * again; the time at which an email was first proved stays, as on the wire.
 */
export const withoutPendingChange = (user: User, { kind }: Pick<Address, 'kind'>): User =>
  kind === 'email'
    ? { ...user, newEmail: null, emailChangeSentAt: null, emailChangeConfirmedBy: null }
    : { ...user, newPhone: null, phoneChangeSentAt: null, phoneConfirmedAt: null }

/**
 * Returns the account with this address as its own and proved, whether it had the address before or
 * not.
 */
export function withConfirmedAddress(needs: Needs, user: User, address: Address): User {
  const { now } = needs
  const isEmail = address.kind === 'email'
  const identities = withIdentity(needs, user, address)
  const known = user.identities.map(({ provider }) => provider)
  return {
    ...user,
    ...(isEmail
      ? { email: address.value, emailConfirmedAt: user.emailConfirmedAt ?? now }
      : { phone: address.value, phoneConfirmedAt: user.phoneConfirmedAt ?? now }),
    identities,
    appMetadata: providersOf(user.appMetadata, [...known, address.kind]),
    userMetadata: { ...user.userMetadata, ...(isEmail && { email_verified: true }) },
    isAnonymous: false,
    updatedAt: now,
  }
}

function withIdentity({ now }: Needs, user: User, address: Address): Identity[] {
  const proved = { ...address, confirmed: true }
  const known = user.identities.find(({ provider }) => provider === address.kind)
  if (!known) return [...user.identities, addressIdentity({ now }, user.id, proved)]
  const facts = { [address.kind]: address.value, [`${address.kind}_verified`]: true }
  const changed = { ...known, identityData: { ...known.identityData, ...facts }, updatedAt: now }
  return user.identities.map((identity) => (identity === known ? changed : identity))
}
