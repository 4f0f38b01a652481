import type { UserWithPassword } from '../../accounts/users/find-user.sql.ts'
import { sha256Hex } from '../../platform/kit/digest.ts'
import type { ReadFactor } from './read-factors.ts'
import type { ReadPasskey } from './read-passkeys.ts'

const halfLength = 32

const digest = (value: unknown): string => sha256Hex(JSON.stringify(value)).slice(0, halfLength)

/**
 * Returns a digest that changes with the source's data of a user: account, factors and passkeys in
 * its first half, the password in its second. The hash stored here cannot be compared, since a
 * sign-in rehashes the password.
 */
export const fingerprintOf = (
  { passwordHash, ...rest }: UserWithPassword,
  factors: readonly ReadFactor[],
  passkeys: readonly ReadPasskey[],
): string => digest([rest, factors, passkeys]) + digest(passwordHash)

export const hasOtherPassword = (fingerprint: string, former: string): boolean =>
  fingerprint.slice(halfLength) !== former.slice(halfLength)
