import type { Random } from '../../platform/kit/random.ts'
import type { Address } from './addresses.ts'
import { addressIdentity, addressIdentityData, providersOf } from './new-user.ts'
import type { Identity, User } from './user.ts'

interface Needs {
  random: Random
  now: Date
}

/** An account with an address at once, and the identity that goes with it. Its proof is another matter. */
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

/** An account whose address counts as proved, from now on if it did not before. Nobody is anonymous who has one. */
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

/** The identities of an account, of which the one by this kind of address says more. */
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
