import { isOlder } from '../../platform/kit/clock.ts'
import type { Address } from './addresses.ts'
import type { UserWithPassword } from './find-user.sql.ts'
import { isConfirmed, isProved, type User } from './user.ts'

/** The age of an established address: until then the owner of the account can notice the change. */
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
 * Returns an account after a change, with the times at which it got other addresses. The address of
 * an operator has one, too, or a code to the address before would count for it.
 *
 * The first address of an account has none where it ends no password of the owner. An email that the
 * former one confirmed has the time of the former one.
 */
export function withAddressChanges(
  stored: UserWithPassword,
  after: User,
  { now, isConfirmedByFormer }: { now: Date; isConfirmedByFormer: boolean },
): User {
  const before = stored.user
  const changedAt = endsNothing(stored) ? null : now
  const isConfirmedBefore =
    before.emailChangeConfirmedBy === 'current' && after.email === before.newEmail
  return {
    ...after,
    ...(after.email !== before.email && {
      emailChangedAt: isConfirmedByFormer || isConfirmedBefore ? before.emailChangedAt : changedAt,
    }),
    ...(after.phone !== before.phone && { phoneChangedAt: changedAt }),
  }
}

/**
 * Returns whether the first address of the account ends no password: without a confirmed address,
 * only an account with a user name and no address signs in by password.
 */
function endsNothing({ user, passwordHash }: UserWithPassword): boolean {
  const hasAddress = user.email !== null || user.phone !== null
  const signsInByName = user.username !== null && passwordHash !== null && !hasAddress
  const isFirst = user.emailChangedAt === null && user.phoneChangedAt === null
  return !isConfirmed(user) && isFirst && !signsInByName
}

/** Returns whether the account has a confirmed address that is established. */
export const hasEstablishedAddress = (user: User, now: Date): boolean =>
  nonceAddressOf(user, now, { onlyEstablished: true }) !== null

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
  const proved = (['email', 'phone'] as const).flatMap((kind) => {
    const value = user[kind]
    return value !== null && isProved(user, kind) ? [{ kind, value }] : []
  })
  const established = proved.find(({ kind }) => isEstablished(user, kind, now))
  return established ?? (onlyEstablished ? null : (proved[0] ?? null))
}
