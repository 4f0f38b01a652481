import type { Random } from '../kit/random.ts'
import type { TokenRequester } from '../one-time-tokens/one-time-token-row.ts'
import { type Account, type Identity, isProved } from '../users/account.ts'
import type { Address } from '../users/addresses.ts'
import type { StoredAccount } from '../users/find-account.sql.ts'
import {
  addressIdentity,
  addressIdentityData,
  type NewAddress,
  providersOf,
} from '../users/new-account.ts'
import type { Registration } from '../users/registration.ts'

/** What an account is to be, and what has to go with it. */
export interface ProvedAccount {
  account: Account
  passwordHash: string | null
  /** Whether every session from before ends, and every factor goes. */
  endsSessions: boolean
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
 * the address nothing of any of them is left, metadata neither, whichever link is used.
 */
export function proveAddress(
  needs: Needs,
  { account, passwordHash, registration }: Omit<StoredAccount, 'version'>,
  address: Address,
  requestedBy: TokenRequester,
): ProvedAccount {
  if (isProved(account, address.kind)) return { account, passwordHash, endsSessions: false }
  const isConfirmation = registration?.by === 'signup' && requestedBy === 'signup'
  const keepsAll = registration === null || isConfirmation
  const kept = keepsAll ? account : withoutUnprovedCredentials(account, address)
  const own = registration?.by === 'rivals' ? withoutRegisteredMetadata(kept, registration) : kept
  return {
    account: withProvedAddress(needs, own, address),
    passwordHash: keepsAll ? passwordHash : null,
    endsSessions: !keepsAll,
  }
}

/**
 * What is left of an account for whoever proved this address. The other address goes where somebody
 * proved it, since it opens the account; so do changes of address that were asked for before.
 */
export function withoutUnprovedCredentials(account: Account, { kind }: Address): Account {
  const identities = account.identities.filter(({ provider }) => provider === kind)
  const other = kind === 'email' ? 'phone' : 'email'
  return {
    ...account,
    ...(isProved(account, other) && { [other]: null, [`${other}ConfirmedAt`]: null }),
    newEmail: null,
    emailChangeSentAt: null,
    emailChangeConfirmedBy: null,
    newPhone: null,
    phoneChangeSentAt: null,
    identities,
    factors: [],
    appMetadata: providersOf(account.appMetadata, [kind]),
  }
}

/** An unproved account without the metadata that its registration brought. What operators said stays. */
export function withoutRegisteredMetadata(
  account: Account,
  registration: Registration | null,
): Account {
  const brought = registration?.keys ?? []
  const kept = Object.entries(account.userMetadata).filter(([key]) => !brought.includes(key))
  const identities = account.identities.map((identity) => {
    const { provider: kind } = identity
    if (kind !== 'email' && kind !== 'phone') return identity
    const address: NewAddress = { kind, value: account[kind] ?? '', confirmed: false }
    return { ...identity, identityData: addressIdentityData(account.id, address) }
  })
  return { ...account, userMetadata: Object.fromEntries(kept), identities }
}

/** The same account with an address of its own that is proved, whether it had it before or not. */
export function withProvedAddress(needs: Needs, account: Account, address: Address): Account {
  const { now } = needs
  const isEmail = address.kind === 'email'
  const identities = withIdentity(needs, account, address)
  const known = account.identities.map(({ provider }) => provider)
  return {
    ...account,
    ...(isEmail
      ? { email: address.value, emailConfirmedAt: account.emailConfirmedAt ?? now }
      : { phone: address.value, phoneConfirmedAt: account.phoneConfirmedAt ?? now }),
    identities,
    appMetadata: providersOf(account.appMetadata, [...known, address.kind]),
    userMetadata: { ...account.userMetadata, ...(isEmail && { email_verified: true }) },
    isAnonymous: false,
    updatedAt: now,
  }
}

function withIdentity({ random, now }: Needs, account: Account, address: Address): Identity[] {
  const proved = { ...address, confirmed: true }
  const known = account.identities.find(({ provider }) => provider === address.kind)
  if (!known) return [...account.identities, addressIdentity({ random, now }, account.id, proved)]
  const facts = { [address.kind]: address.value, [`${address.kind}_verified`]: true }
  const changed = { ...known, identityData: { ...known.identityData, ...facts }, updatedAt: now }
  return account.identities.map((identity) => (identity === known ? changed : identity))
}
