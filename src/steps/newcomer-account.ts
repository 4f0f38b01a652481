import type { AuthContext } from '../deps.ts'
import type { Account } from '../users/account.ts'
import type { Address } from '../users/addresses.ts'
import { addressIdentityData, newAccount } from '../users/new-account.ts'

/** What somebody says who comes with an address. */
export interface NewcomerInput {
  address: Address
  /** Becomes the user's metadata. */
  data: Record<string, unknown>
  /** Whether control of the address counts as proved from the start. */
  confirmed: boolean
  now: Date
  /** The id of an account that is there already. */
  id?: string
}

/** The account that somebody with one address gets. */
export function accountOfNewcomer(ctx: AuthContext, input: NewcomerInput): Account {
  const { address, confirmed, now, id } = input
  const account = newAccount(
    { random: ctx.random, now },
    {
      ...(id !== undefined && { id }),
      addresses: [{ ...address, confirmed }],
      audience: ctx.request.audience,
      role: ctx.config.jwt.defaultRole,
    },
  )
  const userMetadata = metadataOfNewcomer(account.id, input)
  const identities = account.identities.map((identity) => ({
    ...identity,
    identityData: userMetadata,
  }))
  return { ...account, userMetadata, identities }
}

/**
 * Somebody who would have an address that nobody has, and waits for whatever can be waited for: to make
 * a message for, which is not stored.
 */
export function strangerAt(ctx: AuthContext, address: Address): Account {
  const now = ctx.clock.now()
  return {
    ...accountOfNewcomer(ctx, { address, data: {}, confirmed: false, now }),
    ...{ newEmail: 'nobody@example.com', emailChangeSentAt: now },
    ...{ newPhone: '0', phoneChangeSentAt: now },
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

/** The account of somebody who is invited to an address that nobody has. They set a password later. */
export function invitedAccount(
  ctx: AuthContext,
  address: Address,
  data: Record<string, unknown>,
): Account {
  const now = ctx.clock.now()
  const account = accountOfNewcomer(ctx, { address, data, confirmed: false, now })
  return { ...account, userMetadata: data, invitedAt: now, confirmationSentAt: now }
}
