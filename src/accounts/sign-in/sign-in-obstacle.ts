import type { Address } from '../users/addresses.ts'
import { hasConfirmed, hasConfirmedAddress, isBanned, type User } from '../users/user.ts'

/** The user is banned, or the address of this kind is not confirmed. */
type SignInObstacle = 'banned' | Address['kind']

/**
 * Returns the reason why a user who has proved a credential may not sign in; null for none. The
 * caller reports it to that user alone, by the errors of its endpoint.
 *
 * @param address the kind of address by which the user signs in, which has to be confirmed. Null
 *   for a user name or a passkey: an unconfirmed address then matters only without a confirmed one,
 *   and a user without an address has none to confirm.
 */
export function signInObstacle(
  user: User,
  now: Date,
  address: Address['kind'] | null,
): SignInObstacle | null {
  if (isBanned(user, now)) return 'banned'
  if (address !== null) return hasConfirmed(user, address) ? null : address
  if (hasConfirmedAddress(user)) return null
  if (user.email !== null) return 'email'
  return user.phone === null ? null : 'phone'
}
