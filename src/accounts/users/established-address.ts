import { isOlder } from '../../platform/kit/clock.ts'
import type { Address } from './addresses.ts'
import { isProved, type User } from './user.ts'

/** The age of an established address: by then its owner has received the notice of the change. */
const establishingMs = 24 * 60 * 60 * 1000

/**
 * Returns whether an account has had an address since its creation, or for a day. A party with a
 * stolen session may have added a newer one.
 */
export function isEstablished(user: User, kind: Address['kind'], now: Date): boolean {
  const changedAt = changedAtOf(user, kind)
  return user[kind] !== null && (changedAt === null || isOlder(changedAt, establishingMs, now))
}

const changedAtOf = (user: User, kind: Address['kind']): Date | null =>
  kind === 'email' ? user.emailChangedAt : user.phoneChangedAt

/**
 * Returns an account after a change, with the times at which it got other addresses. The first
 * address of an anonymous user has none: the session was the only way into the account. That of an
 * operator has one, or a code to the address before would count for it.
 */
export function withAddressChanges(before: User, after: User, now: Date): User {
  const changedAt = before.isAnonymous ? null : now
  return {
    ...after,
    ...(after.email !== before.email && { emailChangedAt: changedAt }),
    ...(after.phone !== before.phone && { phoneChangedAt: changedAt }),
  }
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
