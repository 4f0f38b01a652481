import { withoutRegisteredMetadata } from '../addresses/prove-address.ts'
import type { AuthContext } from '../auth-context.ts'
import type { Address } from '../users/addresses.ts'
import type { StoredUser } from '../users/find-user.sql.ts'
import { requireMetadataFits } from '../users/metadata.ts'
import { addressIdentityData, newUser } from '../users/new-user.ts'
import { contestedByOperator, isReclaimable } from '../users/registration.ts'
import type { User } from '../users/user.ts'

/** What somebody says who comes with an address. */
export interface NewcomerInput {
  address: Address
  /** Becomes the user's metadata. */
  data: Record<string, unknown>
  username?: string | null
  /** Whether control of the address counts as proved from the start. */
  confirmed: boolean
  now: Date
  /** The id of an account that is there already. */
  id?: string
}

/** The account that somebody with one address gets. */
export function newcomerUser(ctx: AuthContext, input: NewcomerInput): User {
  const { address, username, confirmed, now, id } = input
  const user = newUser(
    { random: ctx.random, now },
    {
      ...(id !== undefined && { id }),
      addresses: [{ ...address, confirmed }],
      audience: ctx.request.audience,
      role: ctx.config.jwt.defaultRole,
      ...(username && { username }),
    },
  )
  const userMetadata = metadataOfNewcomer(user.id, input)
  const identities = user.identities.map((identity) => ({
    ...identity,
    identityData: userMetadata,
  }))
  return { ...user, userMetadata, identities }
}

/**
 * Somebody who would have an address that nobody has, and waits for whatever can be waited for: to make
 * a message for, which is not stored.
 */
export function decoyUser(ctx: AuthContext, address: Address): User {
  const now = ctx.clock.now()
  return {
    ...newcomerUser(ctx, { address, data: {}, confirmed: false, now }),
    newEmail: 'nobody@example.com',
    emailChangeSentAt: now,
    newPhone: '0',
    phoneChangeSentAt: now,
  }
}

/** What the user said, and above it what we know. */
export const metadataOfNewcomer = (
  userId: string,
  { address, data, confirmed }: Pick<NewcomerInput, 'address' | 'data' | 'confirmed'>,
): Record<string, unknown> => ({
  ...Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null)),
  ...addressIdentityData(userId, { ...address, confirmed }),
})

/** What of the metadata of a newcomer is their own. */
export const keysOfNewcomer = (input: Pick<NewcomerInput, 'address' | 'data'>): string[] => {
  const facts = addressIdentityData('', { ...input.address, confirmed: false })
  return Object.keys(input.data).filter((key) => !Object.hasOwn(facts, key))
}

/**
 * The account of somebody who is invited to an address that nobody has proved. They set a password later. Who is
 * there because strangers registered becomes the operator's: what is said of them is what `data` and operators
 * before said. A user of an operator's stays as they are.
 */
export function invitedUser(
  ctx: AuthContext,
  address: Address,
  data: Record<string, unknown>,
  existing: StoredUser | null,
): Omit<StoredUser, 'version'> {
  const now = ctx.clock.now()
  const stamps = { invitedAt: now, confirmationSentAt: now, updatedAt: now }
  if (!existing) {
    const user = newcomerUser(ctx, { address, data, confirmed: false, now })
    const invited = { ...user, userMetadata: data, ...stamps }
    return { user: invited, passwordHash: null, registration: null }
  }
  const { user, passwordHash, registration } = existing
  const invited = registration ? saidByOperator(ctx, existing, data) : user
  requireMetadataFits(ctx.config, invited, user)
  return {
    user: { ...invited, ...stamps },
    passwordHash,
    registration: contestedByOperator(registration, data),
  }
}

/** An account that strangers registered, of whose user an operator says this. It is where the operator wants it. */
function saidByOperator(ctx: AuthContext, stored: StoredUser, data: Record<string, unknown>): User {
  const { user, registration } = stored
  const audience = isReclaimable(stored) ? ctx.request.audience : user.audience
  const own = withoutRegisteredMetadata(user, registration)
  const facts = addressIdentityData(user.id, { kind: 'email', value: '', confirmed: false })
  const said = Object.entries(own.userMetadata).filter(([key]) => !Object.hasOwn(facts, key))
  const userMetadata = { ...Object.fromEntries(said), ...data }
  return { ...own, audience, userMetadata }
}
