import type { Random } from '../../platform/kit/random.ts'
import type { Address } from './addresses.ts'
import { addressIdentity, addressIdentityData, providersOf } from './new-user.ts'
import type { Identity, User } from './user.ts'

interface Needs {
  random: Random
  now: Date
}

/**
 * Returns an account with an address, and with the identity for it. It does not confirm the
 * address.
 */
export function assignAddress(needs: Needs, user: User, address: Address): User {
  const unproved = { ...address, confirmed: false }
  const assigned = { ...user, [address.kind]: address.value }
  if (user.identities.some(({ provider }) => provider === address.kind)) {
    const facts = addressIdentityData(user.id, unproved)
    return { ...assigned, identities: withFacts(needs, user, address.kind, facts) }
  }
  const { appMetadata } = user
  const known = Array.isArray(appMetadata['providers']) ? appMetadata['providers'] : []
  return {
    ...assigned,
    identities: [...user.identities, addressIdentity(needs, user.id, unproved)],
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
