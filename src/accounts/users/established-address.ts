import { clockSetBackMs } from '../../platform/sql/clock-set-back.ts'
import type { Address } from './addresses.ts'
import type { UserWithPassword } from './find-user.sql.ts'
import { isConfirmed, isProved, type User } from './user.ts'

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

/** The cause of a new address: the user, a confirmation by the former email, or an operator. */
export type AddressChanger = 'user' | 'formerEmail' | 'operator'

/**
 * Returns an account after a change, with the times at which it got other addresses. The address of
 * an operator has one, too, or a code to the address before would count for it. It is older than
 * another new address: an operator may restore the owner's beside that of a thief.
 *
 * The first address of an account has none where it ends no password of the owner. An email that the
 * former one confirmed has the time of the former one.
 */
export function withAddressChanges(
  stored: UserWithPassword,
  after: User,
  { now, changedBy }: { now: Date; changedBy: AddressChanger },
): User {
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
  cause: AddressChanger | 'creation',
): boolean {
  const hasAddress = user.email !== null || user.phone !== null
  const signsInByName = user.username !== null && !hasAddress
  const isProtected = cause === 'user' && !user.isAnonymous
  const endsPassword = passwordHash !== null && (isProtected || signsInByName)
  const isFirst = user.emailChangedAt === null && user.phoneChangedAt === null
  return !isConfirmed(user) && isFirst && !endsPassword
}

/**
 * Returns whether the confirmed addresses of an account that it has without some others are newer
 * than these, or about as new by clocks that differ. An established one is not.
 */
export function areNewer(kept: User, others: User, now: Date): boolean {
  const since = addressSince(kept, now)
  return since > 0 && since + clockSetBackMs > addressSince(others, now)
}

/** Returns the time of the oldest confirmed address: 0 if established, infinity without any. */
function addressSince(user: User, now: Date): number {
  const times = confirmedKinds(user).map((kind) =>
    isEstablished(user, kind, now) ? 0 : (changedAtOf(user, kind)?.getTime() ?? 0),
  )
  return Math.min(...times)
}

/** Returns whether the account has a confirmed address that is established. */
export const hasEstablishedAddress = (user: User, now: Date): boolean =>
  addressSince(user, now) === 0

const confirmedKinds = (user: User): Address['kind'][] =>
  (['email', 'phone'] as const).filter((kind) => user[kind] !== null && isProved(user, kind))

/**
 * Returns the address that the nonces of a user are sent to: the email, else the phone, if it is
 * confirmed. An established one is preferred.
 *
 * @param onlyEstablished whether a newer one gets none, since the nonce permits a new password.
 */
export function nonceAddressOf(
  user: User,
  now: Date,
  { onlyEstablished }: { onlyEstablished: boolean },
): Address | null {
  const proved = confirmedKinds(user).flatMap((kind) => {
    const value = user[kind]
    return value === null ? [] : [{ kind, value }]
  })
  const established = proved.find(({ kind }) => isEstablished(user, kind, now))
  return established ?? (onlyEstablished ? null : (proved[0] ?? null))
}
