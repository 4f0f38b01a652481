import type { User } from '../users/user.ts'

/**
 * The name of an account for its user: a confirmed address only, since any user can claim others.
 */
export type AccountName =
  | { kind: 'address'; address: string }
  | { kind: 'anonymous' }
  | { kind: 'unnamed' }

/** Returns the name of an account, as a confirmation page shows it. */
export function nameOfAccount(user: User): AccountName {
  if (user.email !== null && user.emailConfirmedAt !== null) {
    return { kind: 'address', address: user.email }
  }
  if (user.phone !== null && user.phoneConfirmedAt !== null) {
    return { kind: 'address', address: `+${user.phone}` }
  }
  return { kind: user.isAnonymous ? 'anonymous' : 'unnamed' }
}

/** Returns whether a user would see the same name. */
export const isSameName = (one: AccountName, other: AccountName): boolean =>
  one.kind === other.kind &&
  (one.kind !== 'address' || other.kind !== 'address' || one.address === other.address)
