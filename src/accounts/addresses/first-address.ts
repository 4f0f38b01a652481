import type { Address } from '../users/addresses.ts'
import type { StoredUser } from '../users/find-user.sql.ts'
import { providersOf } from '../users/new-user.ts'
import {
  hasAddress,
  hasConfirmed,
  type Identity,
  isAddressIdentity,
  type User,
} from '../users/user.ts'
import { withoutPendingChanges } from '../users/user-addresses.ts'

/**
 * An account whose address is proved, and whether credentials from before end: see
 * `accounts/lifecycle/endings.ts`.
 */
export interface ConfirmedUser {
  user: User
  passwordHash: string | null
  causes: readonly ('addressConfirmed' | 'firstAddressConfirmed' | 'reclaimed')[]
}

/** A proved account without a sign-up origin: from now on its data is its own. */
export interface ReassignedUser extends ConfirmedUser {
  signUpOrigin: null
}

type Stored = Pick<StoredUser, 'user' | 'passwordHash'>

/** Returns whether any address that the user proves is the first one of the account. */
export const awaitsFirstAddress = (user: User): boolean => user.isAnonymous || !hasAddress(user)

interface FirstAddressOptions {
  /** Whether an operator stored the password, which then stays. */
  keepsPassword: boolean
  /** The identity that proves the address, and stays in use. */
  proving?: Identity | null
}

/**
 * Returns an account that gets its first confirmed address, without the credentials from before it.
 * The caller adds the address.
 *
 * The user of the account until then need not own the address: an attacker may have planted a
 * session of their own in the owner's browser. Sessions and factors end. Passkeys, and identities
 * at providers, are suspended until the address confirms them. Metadata stays.
 */
export function atFirstAddress(
  { now }: { now: Date },
  { user, passwordHash }: Stored,
  { keepsPassword, proving = null }: FirstAddressOptions,
): ReassignedUser {
  return {
    user: {
      ...withoutPendingChanges(user),
      factors: [],
      identities: user.identities.map((identity) =>
        isAddressIdentity(identity) || identity.id === proving?.id
          ? identity
          : { ...identity, suspendedAt: identity.suspendedAt ?? now },
      ),
    },
    passwordHash: keepsPassword ? passwordHash : null,
    signUpOrigin: null,
    causes: ['firstAddressConfirmed'],
  }
}

/**
 * Returns the account that remains for a user who proves the unconfirmed address of another
 * client's sign-up: without password, factors, other identities and pending changes of address. The
 * other address is removed if it is proved, since it gives access to the account. Metadata stays.
 */
export function reclaimedBy(user: User, { kind }: Pick<Address, 'kind'>): ReassignedUser {
  const other = kind === 'email' ? 'phone' : 'email'
  return {
    user: {
      ...withoutPendingChanges(user),
      ...(hasConfirmed(user, other) && { [other]: null, [`${other}ConfirmedAt`]: null }),
      identities: user.identities.filter(({ provider }) => provider === kind),
      factors: [],
      appMetadata: providersOf(user.appMetadata, [kind]),
    },
    passwordHash: null,
    signUpOrigin: null,
    causes: ['addressConfirmed', 'reclaimed'],
  }
}
