import type { AuthContext } from '../auth-context.ts'
import type { Address } from '../users/addresses.ts'
import { confirmedKinds, isEstablished } from '../users/established-address.ts'
import type { User } from '../users/user.ts'
import { restrictsNewPasswords } from './recent-sign-in.ts'

/**
 * Returns the address that the nonces of a user are sent to: the email, else the phone, if it is
 * confirmed. An established one is preferred; where new passwords are restricted, no other gets a
 * nonce, since it permits one.
 */
export function nonceAddressOf(
  ctx: Pick<AuthContext, 'clock' | 'config'>,
  user: User,
): Address | null {
  const now = ctx.clock.now()
  const confirmed = confirmedKinds(user).flatMap((kind) => {
    const value = user[kind]
    return value === null ? [] : [{ kind, value }]
  })
  const established = confirmed.find(({ kind }) => isEstablished(user, kind, now))
  return established ?? (restrictsNewPasswords(ctx) ? null : (confirmed[0] ?? null))
}
