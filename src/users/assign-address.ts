import type { EntityManager } from '@mikro-orm/core'
import type { Clock } from '../kit/clock.ts'
import type { Random } from '../kit/random.ts'
import type { Address } from './addresses.ts'
import { Identity } from './identity.entity.ts'
import { addressIdentityData } from './new-account.ts'
import type { User } from './user.entity.ts'

interface Needs {
  em: EntityManager
  clock: Clock
  random: Random
}

/** Gives a user an address at once, with the identity that goes with it. Its proof is another matter. */
export async function assignAddress(needs: Needs, user: User, address: Address): Promise<void> {
  const { em, clock, random } = needs
  if (address.kind === 'email') user.email = address.value
  else user.phone = address.value

  const now = clock.now()
  const identity = await findIdentity(needs, user, address.kind)
  const known = addressIdentityData(user.id, { ...address, confirmed: false })
  if (identity) {
    identity.identityData = { ...identity.identityData, ...known }
    identity.updatedAt = now
    return
  }
  em.create(Identity, {
    id: random.uuid(),
    user,
    provider: address.kind,
    subject: user.id,
    identityData: known,
    lastSignInAt: now,
    createdAt: now,
    updatedAt: now,
  })
  user.appMetadata = withProvider(user.appMetadata, address.kind)
}

/** Counts an address as proved, from now on if it was not before. */
export async function confirmAddress(
  needs: Needs,
  user: User,
  kind: Address['kind'],
): Promise<void> {
  const now = needs.clock.now()
  if (kind === 'email') {
    if (!user.email) return
    user.emailConfirmedAt ??= now
    user.userMetadata = { ...user.userMetadata, email_verified: true }
  } else {
    if (!user.phone) return
    user.phoneConfirmedAt ??= now
  }
  const identity = await findIdentity(needs, user, kind)
  if (!identity) return
  identity.identityData = { ...identity.identityData, [`${kind}_verified`]: true }
  identity.updatedAt = now
}

const findIdentity = async (
  { em }: Needs,
  user: User,
  provider: string,
): Promise<Identity | null> => em.findOne(Identity, { user: user.id, provider })

/** The providers of a user, the first of which counts as the main one. */
function withProvider(appMetadata: Record<string, unknown>, provider: string) {
  const known = Array.isArray(appMetadata['providers']) ? appMetadata['providers'] : []
  const providers = [...new Set([...known, provider])]
  return { ...appMetadata, provider: providers[0], providers }
}
