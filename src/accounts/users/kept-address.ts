import type { Address } from './addresses.ts'
import { isBannedCondition } from './ban.sql.ts'
import { isUnclaimed, type UserWithOrigin } from './sign-up-origin.ts'
import { hasConfirmed, hasConfirmedAddress, isBanned, type User } from './user.ts'

// The rules by which an account keeps an address, in TypeScript and in SQL. `kept-address.test.ts`
// compares both forms.

const notClients = ['operator', 'import']

/**
 * Returns whether an account is reclaimable: unconfirmed, and created by requests of clients alone.
 * An operator, or a new owner of its address, replaces it. A banned account is not reclaimable
 * until the ban ends: its replacement would lift the ban.
 */
export const isReclaimable = (
  stored: UserWithOrigin & { user: Pick<User, 'bannedUntil' | 'isSsoUser'> },
  now: Date,
): boolean =>
  isUnclaimed(stored) &&
  !isBanned(stored.user, now) &&
  !stored.user.isSsoUser &&
  !notClients.includes(stored.signUpOrigin?.from ?? '')

/**
 * Returns whether an account keeps its address of one kind: a confirmed one, or the unconfirmed one
 * of an account that has no confirmed address and is not reclaimable. An unconfirmed address beside
 * a confirmed one is released to the first user who confirms it. A user of single sign-on keeps
 * none: other users may have the same address.
 */
export const keepsAddress = (
  stored: Parameters<typeof isReclaimable>[0],
  kind: Address['kind'],
  now: Date,
): boolean =>
  !stored.user.isSsoUser &&
  (hasConfirmed(stored.user, kind) ||
    !(hasConfirmedAddress(stored.user) || isReclaimable(stored, now)))

/**
 * Returns {@link isReclaimable} as a condition.
 *
 * @param user the alias of the row.
 * @param now an expression for the present instant.
 */
export const isReclaimableCondition = (user: string, now: string): string =>
  `(${user}.registered_by is not null and ${user}.email_confirmed_at is null
    and ${user}.phone_confirmed_at is null and not ${isBannedCondition(user, now)} and not ${user}.is_sso_user
    and coalesce(${user}.registered_from, '') not in ('${notClients.join(`', '`)}'))`

/**
 * Returns {@link keepsAddress} as a condition.
 *
 * @param user the alias of the row.
 * @param now an expression for the present instant.
 */
export const keepsAddressCondition = (user: string, kind: Address['kind'], now: string): string =>
  `(not ${user}.is_sso_user and not ${isReclaimableCondition(user, now)}
    and not ${releasesAddressCondition(user, kind)})`

/**
 * Returns a condition: a row holds an unconfirmed address of this kind beside a confirmed one of
 * the other kind.
 */
export const releasesAddressCondition = (user: string, kind: Address['kind']): string =>
  `(not ${user}.is_sso_user and ${user}.${kind}_confirmed_at is null
    and ${user}.${kind === 'email' ? 'phone' : 'email'}_confirmed_at is not null)`
