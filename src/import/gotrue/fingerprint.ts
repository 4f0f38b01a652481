import type { UserWithPassword } from '../../accounts/users/find-user.sql.ts'
import { sha256Hex } from '../../platform/kit/digest.ts'
import type { ReadFactor } from './read-factors.ts'
import type { ReadPasskey } from './read-passkeys.ts'

const halfLength = 32

const digest = (value: unknown): string => sha256Hex(JSON.stringify(value)).slice(0, halfLength)

/**
 * What tells whether there is news of a user: of account, factors and passkeys in its first half, and of the
 * password in its second. The hash that is stored here tells nothing, since a sign-in renews it.
 */
export const fingerprintOf = (
  { passwordHash, ...rest }: UserWithPassword,
  factors: readonly ReadFactor[],
  passkeys: readonly ReadPasskey[],
): string => digest([rest, factors, passkeys]) + digest(passwordHash)

export const hasOtherPassword = (fingerprint: string, former: string): boolean =>
  fingerprint.slice(halfLength) !== former.slice(halfLength)
