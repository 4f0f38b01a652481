import { nilUuid } from '../../platform/kit/uuid.ts'
import { withoutSignUpMetadata } from '../addresses/prove-address.ts'
import type { AuthContext } from '../auth-context.ts'
import type { Address } from '../users/addresses.ts'
import type { StoredUser } from '../users/find-user.sql.ts'
import { isReclaimable } from '../users/kept-address.ts'
import { mergeMetadata, requireMetadataFits } from '../users/metadata.ts'
import { addressIdentityData, newUser } from '../users/new-user.ts'
import { contestedByOperator } from '../users/sign-up-origin.ts'
import type { User } from '../users/user.ts'

/** The input for a new user with one address. */
export interface NewUserInput {
  address: Address
  /** The metadata of the user. */
  data: Record<string, unknown>
  username?: string | null
  /** Whether the address is confirmed at the creation. */
  confirmed: boolean
  now: Date
  /** The id of an existing account. */
  id?: string
}

/** Returns the account of a new user with one address. */
export function newUserWithAddress(ctx: AuthContext, input: NewUserInput): User {
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
  const userMetadata = newUserMetadata(user.id, input)
  const identities = user.identities.map((identity) => ({
    ...identity,
    identityData: userMetadata,
  }))
  return { ...user, userMetadata, identities }
}

/**
 * Returns a user with this address and every pending change. A message is composed for it where no
 * user has the address, and is not stored.
 */
export function decoyUser(ctx: AuthContext, address: Address): User {
  const now = ctx.clock.now()
  return {
    ...newUserWithAddress(ctx, { address, data: {}, confirmed: false, now }),
    newEmail: 'nobody@example.com',
    emailChangeSentAt: now,
    newPhone: '0',
    phoneChangeSentAt: now,
  }
}

/**
 * Returns the metadata of a new user: the submitted data, overridden by the facts that the service
 * states.
 */
const newUserMetadata = (
  userId: string,
  { address, data, confirmed }: Pick<NewUserInput, 'address' | 'data' | 'confirmed'>,
): Record<string, unknown> => ({
  ...Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null)),
  ...addressIdentityData(userId, { ...address, confirmed }),
})

/** Returns the keys of the metadata that the requester submitted. */
export const submittedMetadataKeys = (input: Pick<NewUserInput, 'address' | 'data'>): string[] => {
  const facts = addressIdentityData('', { ...input.address, confirmed: false })
  return Object.keys(input.data).filter((key) => !Object.hasOwn(facts, key))
}

/**
 * Returns the account of a user who is invited to an unconfirmed address. The user sets a password
 * later. An account from a sign-up becomes the operator's: its metadata is `data`, and earlier
 * metadata from operators. An account that an operator created stays unchanged.
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
    const user = newUserWithAddress(ctx, { address, data: {}, confirmed: false, now })
    const invited = { ...user, userMetadata: data, ...stamps }
    return { user: invited, passwordHash: null, signUpOrigin: null }
  }
  const { user, passwordHash, signUpOrigin } = existing
  const invited = signUpOrigin ? withOperatorMetadata(ctx, existing, data) : user
  requireMetadataFits(ctx.config, invited, user)
  return {
    user: { ...invited, ...stamps },
    passwordHash,
    signUpOrigin: contestedByOperator(signUpOrigin, data),
  }
}

/**
 * Returns an account from a sign-up with the metadata from operators. A reclaimable account moves
 * to the audience of the operator's request. Unlike the look-up by `isInReach`, this changes the
 * account: one that is banned, or that an operator supplied data of, keeps its audience.
 */
function withOperatorMetadata(
  ctx: AuthContext,
  stored: StoredUser,
  data: Record<string, unknown>,
): User {
  const { user, signUpOrigin } = stored
  const audience = isReclaimable(stored, ctx.clock.now()) ? ctx.request.audience : user.audience
  const own = withoutSignUpMetadata(user, signUpOrigin)
  const facts = addressIdentityData(user.id, { kind: 'email', value: '', confirmed: false })
  const operatorMetadata = Object.entries(own.userMetadata).filter(
    ([key]) => !Object.hasOwn(facts, key),
  )
  const userMetadata = mergeMetadata(Object.fromEntries(operatorMetadata), data)
  return { ...own, audience, userMetadata }
}

/**
 * Rejects the data of a new user where the metadata would be too large together with the facts that
 * are stored beside it. It runs before any look-up, so that the response does not reveal an
 * account.
 *
 * @throws AuthError `validation_failed` (422).
 */
export function requireNewUserMetadataFits(
  { config }: Pick<AuthContext, 'config'>,
  address: Address,
  data: Record<string, unknown>,
): void {
  const userMetadata = newUserMetadata(nilUuid, { address, data, confirmed: false })
  requireMetadataFits(config, { userMetadata })
}
