import type { Random } from '../kit/random.ts'
import type { TokenRequester } from '../one-time-tokens/one-time-token-row.ts'
import type { Account, Identity } from '../users/account.ts'
import type { Address } from '../users/addresses.ts'
import type { StoredAccount } from '../users/find-account.sql.ts'
import { addressIdentity, providersOf } from '../users/new-account.ts'

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
 * An account whose address somebody has just proved to control.
 *
 * Who signed up with an address need not be who reads its mail. So when an unproved address is proved
 * by anything but the confirmation of the sign-up that set the password, whatever was there before is
 * removed: password, sessions, factors, the identities of others and what was pending.
 */
export function proveAddress(
  needs: Needs,
  { account, passwordHash }: StoredAccount,
  address: Address,
  requestedBy: TokenRequester,
): ProvedAccount {
  if (isProved(account, address.kind)) return { account, passwordHash, endsSessions: false }
  const isOwn = requestedBy === 'signup' || account.isAnonymous
  const kept = isOwn ? account : withoutStrangers(account, address)
  return {
    account: withProvedAddress(needs, kept, address),
    passwordHash: isOwn ? passwordHash : null,
    endsSessions: !isOwn,
  }
}

const isProved = (account: Account, kind: Address['kind']): boolean =>
  (kind === 'email' ? account.emailConfirmedAt : account.phoneConfirmedAt) !== null

/**
 * What is left of an account for whoever proved this address. The other address goes where somebody
 * proved it, since it opens the account; so do changes of address that were asked for before.
 */
export function withoutStrangers(account: Account, { kind }: Address): Account {
  const identities = account.identities.filter(({ provider }) => provider === kind)
  const other = kind === 'email' ? 'phone' : 'email'
  return {
    ...account,
    ...(isProved(account, other) && { [other]: null, [`${other}ConfirmedAt`]: null }),
    ...{ newEmail: null, emailChangeSentAt: null, emailChangeConfirmStatus: 0 },
    ...{ newPhone: null, phoneChangeSentAt: null },
    ...{ identities, factors: [] },
    appMetadata: providersOf(account.appMetadata, [kind]),
  }
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
