import type { Random } from '../../platform/kit/random.ts'
import type { TokenRequester } from '../one-time-tokens/one-time-token.entity.ts'
import type { Address } from '../users/addresses.ts'
import type { StoredUser } from '../users/find-user.sql.ts'
import {
  addressIdentity,
  addressIdentityData,
  type NewAddress,
  providersOf,
} from '../users/new-user.ts'
import { withoutPendingChanges } from '../users/pending.ts'
import type { Registration } from '../users/registration.ts'
import { type Identity, isConfirmed, isProved, type User } from '../users/user.ts'

/**
 * An account whose address was proved, and whether credentials from before end: see
 * `accounts/lifecycle/endings.ts`.
 */
export interface ProvedUser {
  user: User
  passwordHash: string | null
  causes: readonly ('firstAddressProved' | 'reclaimed')[]
}

interface Needs {
  random: Random
  now: Date
}

/**
 * An account whose address somebody has just proved to control. What it keeps was brought by whoever
 * proved, or by an operator.
 *
 * Who registered with an address need not be who reads its mail. An unproved address that is proved by
 * anything but the confirmation of the sign-up that set the password loses that password, with sessions,
 * factors, the identities of others and what was pending. Where requests of different clients competed for
 * the address nothing of any of them is left, metadata neither, whichever link is used. What an operator gave stays,
 * the password too; credentials that the account has beside it are those of other clients, and are suspended.
 */
export function proveAddress(
  needs: Needs,
  { user, passwordHash, registration }: Omit<StoredUser, 'version'>,
  address: Address,
  requestedBy: TokenRequester,
): ProvedUser {
  if (isProved(user, address.kind)) return { user, passwordHash, causes: [] }
  if (registration === null && !isConfirmed(user)) {
    const own = withSuspendedCredentials(user, needs.now)
    const proved = withProvedAddress(needs, own, address)
    return { user: proved, passwordHash, causes: ['firstAddressProved'] }
  }
  const isConfirmation = registration?.by === 'signup' && requestedBy === 'signup'
  const keepsAll = registration === null || isConfirmation
  const kept = keepsAll ? user : withoutUnprovedCredentials(user, address)
  const own =
    registration?.by === 'contested' ? withoutRegisteredMetadata(kept, registration) : kept
  return {
    user: keepsAll
      ? withProvedAddress(needs, own, address)
      : withUnprovedPending(withProvedAddress(needs, own, address)),
    passwordHash: keepsAll ? passwordHash : null,
    causes: keepsAll ? [] : ['reclaimed'],
  }
}

/**
 * What is left of an account for whoever proved this address. The other address goes where somebody
 * proved it, since it opens the account; so do changes of address that were asked for before.
 */
export function withoutUnprovedCredentials(user: User, { kind }: Address): User {
  const identities = user.identities.filter(({ provider }) => provider === kind)
  const other = kind === 'email' ? 'phone' : 'email'
  return {
    ...user,
    ...(isProved(user, other) && { [other]: null, [`${other}ConfirmedAt`]: null }),
    newEmail: null,
    emailChangeSentAt: null,
    emailChangeConfirmedBy: null,
    newPhone: null,
    phoneChangeSentAt: null,
    identities,
    factors: [],
    appMetadata: providersOf(user.appMetadata, [kind]),
  }
}

/** Whether an account has no address, so that any proof gives it its first. */
export const hasNoAddress = ({ isAnonymous, email, phone }: User): boolean =>
  isAnonymous || (email === null && phone === null)

/**
 * An account that gets its first confirmed address, without the credentials from before it. Whoever used the account
 * until then need not own the address: an attacker may have planted a session of their own in the owner's browser.
 * Identities at providers are suspended until the address confirms them, except `proving`, which proves the address.
 * Metadata stays.
 */
export const withSuspendedCredentials = (
  user: User,
  now: Date,
  proving: Identity | null = null,
): User => ({
  ...withoutPendingChanges(user),
  factors: [],
  identities: user.identities.map((identity) =>
    isOwnAddress(identity) || identity.id === proving?.id
      ? identity
      : { ...identity, suspendedAt: identity.suspendedAt ?? now },
  ),
})

const isOwnAddress = ({ provider }: Identity): boolean =>
  provider === 'email' || provider === 'phone'

/**
 * A confirmed account whose other address, which nobody has proved, is a pending change. There it blocks no other user.
 * Only an operator stores an unproved address beside a proved one.
 */
export function withUnprovedPending(user: User): User {
  if (!isConfirmed(user)) return user
  const kind = isProved(user, 'email') ? 'phone' : 'email'
  if (user[kind] === null || isProved(user, kind)) return user
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
 * An unproved account without the user name and the metadata that its registration supplied. Metadata
 * of operators stays.
 */
export function withoutRegisteredMetadata(user: User, registration: Registration | null): User {
  const brought = registration?.keys ?? []
  const kept = Object.entries(user.userMetadata).filter(([key]) => !brought.includes(key))
  const identities = user.identities.map((identity) => {
    const { provider: kind } = identity
    if (kind !== 'email' && kind !== 'phone') return identity
    const address: NewAddress = { kind, value: user[kind] ?? '', confirmed: false }
    return { ...identity, identityData: addressIdentityData(user.id, address) }
  })
  const username = registration === null ? user.username : null
  return { ...user, username, userMetadata: Object.fromEntries(kept), identities }
}

/**
 * An account without the change of address that a proof brings about. A number is proved anew; the time at which an
 * email was first proved stays, as on the wire.
 */
export const withoutPendingChange = (user: User, { kind }: Pick<Address, 'kind'>): User =>
  kind === 'email'
    ? { ...user, newEmail: null, emailChangeSentAt: null, emailChangeConfirmedBy: null }
    : { ...user, newPhone: null, phoneChangeSentAt: null, phoneConfirmedAt: null }

/** The same account with an address of its own that is proved, whether it had it before or not. */
export function withProvedAddress(needs: Needs, user: User, address: Address): User {
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

function withIdentity({ random, now }: Needs, user: User, address: Address): Identity[] {
  const proved = { ...address, confirmed: true }
  const known = user.identities.find(({ provider }) => provider === address.kind)
  if (!known) return [...user.identities, addressIdentity({ random, now }, user.id, proved)]
  const facts = { [address.kind]: address.value, [`${address.kind}_verified`]: true }
  const changed = { ...known, identityData: { ...known.identityData, ...facts }, updatedAt: now }
  return user.identities.map((identity) => (identity === known ? changed : identity))
}
