import type { Owners } from '../../accounts/users/find-owners.sql.ts'
import type { User } from '../../accounts/users/user.ts'
import {
  emailExists,
  identityExists,
  phoneExists,
  userIdExists,
} from '../../accounts/users/user-errors.ts'
import type { AuthError } from '../../platform/errors/auth-error.ts'

/**
 * Reports whether a record is of an existing user, or conflicts with other users.
 *
 * A record with an id is of the user with that id who still has one of its addresses or identities;
 * one without an id is of the user who has all of its addresses and identities. A reclaimable
 * account is replaced, and counts as having none.
 */
export function classifyUser(
  { user, isIdGiven }: { user: User; isIdGiven: boolean },
  owners: Owners,
): 'free' | 'already there' | AuthError {
  const email = owners.ofEmail(user.email)
  const phone = owners.ofPhone(user.phone)
  // An email or phone identity contains no more than the address.
  const identities = user.identities.filter(
    ({ provider }) => provider !== 'email' && provider !== 'phone',
  )
  const holders = [
    ...(user.email === null ? [] : [email]),
    ...(user.phone === null ? [] : [phone]),
    ...identities.map((identity) => owners.ofIdentity(identity)),
  ]
  if (isIdGiven && owners.hasId(user.id)) {
    return holders.includes(user.id) ? 'already there' : userIdExists()
  }
  const [first] = holders
  if (!isIdGiven && first && holders.every((holder) => holder === first)) return 'already there'
  if (email) return emailExists()
  if (phone) return phoneExists()
  const isTaken = user.identities.some((identity) => owners.ofIdentity(identity) !== undefined)
  return isTaken ? identityExists() : 'free'
}
