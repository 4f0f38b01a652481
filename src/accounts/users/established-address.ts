import { clockSetBackMs } from '../../platform/kit/clock.ts'
import type { Address } from './addresses.ts'
import type { UserWithPassword } from './find-user.sql.ts'
import { hasAddress, hasConfirmed, hasConfirmedAddress, type User } from './user.ts'

/** The age of an established address: until then the owner of the account can notice the change. */
const establishingMs = 24 * 60 * 60 * 1000

/**
 * Returns whether an account has had an address since its creation, or for a day. A party with a
 * stolen session may have added a newer one, at an instance whose clock is ahead.
 */
export function isEstablished(user: User, kind: Address['kind'], now: Date): boolean {
  const changedAt = changedAtOf(user, kind)
  if (user[kind] === null || changedAt === null) return user[kind] !== null
  const ageMs = now.getTime() - changedAt.getTime()
  return ageMs >= establishingMs || ageMs < -clockSetBackMs
}

const changedAtOf = (user: User, kind: Address['kind']): Date | null =>
  kind === 'email' ? user.emailChangedAt : user.phoneChangedAt

/**
 * The cause of new addresses of an account: its user, a message to an address that it has, a
 * confirmation by the former email, an operator, or a new user who replaces the account.
 */
export type AddressChanger = 'user' | 'message' | 'formerEmail' | 'operator' | 'replacement'

/**
 * Returns an account after a change, with the times at which it got other addresses. The address of
 * an operator has one, too, or a code to the address before would count for it. It is older than
 * another new address: an operator may restore the owner's beside that of a thief.
 *
 * The first address of an account has none where it ends no password of the owner. An email that
 * the former one confirmed has the time of the former one. A new user keeps the times of the
 * creation.
 */
export function withAddressChanges(
  stored: UserWithPassword,
  after: User,
  { now, changedBy }: { now: Date; changedBy: AddressChanger },
): User {
  if (changedBy === 'replacement') return after
  const before = stored.user
  const isConfirmedByFormer =
    changedBy === 'formerEmail' ||
    (before.emailChangeConfirmedBy === 'current' && after.email === before.newEmail)
  const changedAt = (other: Address['kind']): Date | null => {
    if (isHarmlessFirst(stored, changedBy)) return null
    return changedBy === 'operator' ? olderThan(before, other, now) : now
  }
  return {
    ...after,
    ...(after.email !== before.email && {
      emailChangedAt: isConfirmedByFormer ? before.emailChangedAt : changedAt('phone'),
    }),
    ...(after.phone !== before.phone && { phoneChangedAt: changedAt('email') }),
  }
}

/** Returns the present, or a time at which an address that is not established was not there yet. */
function olderThan(user: User, kind: Address['kind'], now: Date): Date {
  const changedAt = changedAtOf(user, kind)
  if (user[kind] === null || changedAt === null || isEstablished(user, kind, now)) return now
  return new Date(Math.min(now.getTime(), changedAt.getTime() - clockSetBackMs - 1))
}

/**
 * Returns whether an address would be the first one of the account and end no password of the
 * owner. Without a confirmed address, only an account with a user name and no address signs in by
 * password; but any password that the account has protects it from a session. Anonymous users set
 * theirs together with the address.
 */
export function isHarmlessFirst(
  { user, passwordHash }: UserWithPassword,
  changedBy: AddressChanger,
): boolean {
  const signsInByName = user.username !== null && !hasAddress(user)
  const isProtected = changedBy === 'user' && !user.isAnonymous
  const endsPassword = passwordHash !== null && (isProtected || signsInByName)
  const isFirst = user.emailChangedAt === null && user.phoneChangedAt === null
  return !hasConfirmedAddress(user) && isFirst && !endsPassword
}

/**
 * Returns whether a change removes an address that is older than those which the account keeps, or
 * about as old by clocks that differ. Established addresses do not count as newer than others.
 */
export function losesOldestAddress(before: User, after: User, now: Date): boolean {
  const isKept = (kind: Address['kind']): boolean => after[kind] === before[kind]
  const kept = oldestOf(before, confirmedKinds(after).filter(isKept), now)
  const lost = oldestOf(
    before,
    confirmedKinds(before).filter((kind) => !isKept(kind)),
    now,
  )
  return kept > 0 && kept + clockSetBackMs > lost
}

/** Returns whether the account has a confirmed address that is established. */
export const hasEstablishedAddress = (user: User, now: Date): boolean =>
  oldestOf(user, confirmedKinds(user), now) === 0

/** Returns the time of the oldest of these addresses: 0 if established, infinity without any. */
const oldestOf = (user: User, kinds: readonly Address['kind'][], now: Date): number =>
  Math.min(
    ...kinds.map((kind) =>
      isEstablished(user, kind, now) ? 0 : (changedAtOf(user, kind)?.getTime() ?? 0),
    ),
  )

/** Returns the kinds of which the account has a confirmed address. */
export const confirmedKinds = (user: User): Address['kind'][] =>
  (['email', 'phone'] as const).filter((kind) => user[kind] !== null && hasConfirmed(user, kind))
