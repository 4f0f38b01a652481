import type { Random } from '../kit/random.ts'
import type { Account, Identity } from './account.ts'
import type { Address } from './addresses.ts'
import { addressIdentity, addressIdentityData, providersOf } from './new-account.ts'

interface Needs {
  random: Random
  now: Date
}

/** An account with an address at once, and the identity that goes with it. Its proof is another matter. */
export function assignAddress(needs: Needs, account: Account, address: Address): Account {
  const unproved = { ...address, confirmed: false }
  const assigned = { ...account, [address.kind]: address.value }
  if (account.identities.some(({ provider }) => provider === address.kind)) {
    const facts = addressIdentityData(account.id, unproved)
    return { ...assigned, identities: withFacts(needs, account, address.kind, facts) }
  }
  const { appMetadata } = account
  const known = Array.isArray(appMetadata['providers']) ? appMetadata['providers'] : []
  return {
    ...assigned,
    identities: [...account.identities, addressIdentity(needs, account.id, unproved)],
    appMetadata: providersOf(appMetadata, [...known, address.kind]),
  }
}

/** An account whose address counts as proved, from now on if it did not before. */
export function confirmAddress(
  needs: Pick<Needs, 'now'>,
  account: Account,
  kind: Address['kind'],
): Account {
  if (!account[kind]) return account
  const identities = withFacts(needs, account, kind, { [`${kind}_verified`]: true })
  if (kind === 'phone') {
    return { ...account, phoneConfirmedAt: account.phoneConfirmedAt ?? needs.now, identities }
  }
  return {
    ...account,
    emailConfirmedAt: account.emailConfirmedAt ?? needs.now,
    userMetadata: { ...account.userMetadata, email_verified: true },
    identities,
  }
}

/** The identities of an account, of which the one by this kind of address says more. */
const withFacts = (
  { now }: Pick<Needs, 'now'>,
  { identities }: Account,
  kind: Address['kind'],
  facts: Record<string, unknown>,
): Identity[] =>
  identities.map((identity) =>
    identity.provider === kind
      ? { ...identity, identityData: { ...identity.identityData, ...facts }, updatedAt: now }
      : identity,
  )
