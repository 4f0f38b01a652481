import { isOlder } from '../../platform/kit/clock.ts'
import type { Address } from './addresses.ts'
import { isProved, type User } from './user.ts'

/** The age of an established address: by then its owner has received the notice of the change. */
const establishingMs = 24 * 60 * 60 * 1000

/**
 * Returns whether an account has had an address for a day, or has itself existed for less. A party
 * with a stolen session may have added a newer one.
 */
export const isEstablished = (user: User, kind: Address['kind'], now: Date): boolean =>
  user[kind] !== null &&
  (!isOlder(user.createdAt, establishingMs, now) ||
    isOlder(addressSince(user, kind), establishingMs, now))

/**
 * Returns the time since which an account has had an address, as far as its identities state it.
 */
function addressSince({ identities, email, createdAt }: User, kind: Address['kind']): Date {
  const own = identities.find(({ provider }) => provider === kind)
  if (own) return own.updatedAt
  const source = identities.find(
    ({ identityData }) => kind === 'email' && identityData['email'] === email,
  )
  if (source) return source.createdAt
  // Another identity supplied the address, and has stated another one since.
  const changes = identities.map(({ updatedAt }) => updatedAt.getTime())
  return new Date(Math.max(createdAt.getTime(), ...changes))
}

/**
 * Returns the address that the nonces of a user are sent to: the email, else the phone. A confirmed
 * phone replaces an email that is not confirmed, which an operator stored, and one that is new.
 */
export function nonceAddressOf(user: User, now: Date): Address | null {
  const { email, phone } = user
  const prefersPhone =
    phone !== null &&
    isProved(user, 'phone') &&
    (!isProved(user, 'email') ||
      (isEstablished(user, 'phone', now) && !isEstablished(user, 'email', now)))
  if (email !== null && !prefersPhone) return { kind: 'email', value: email }
  return phone === null ? null : { kind: 'phone', value: phone }
}
