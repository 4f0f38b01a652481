import { factorSubstitutes } from '../../platform/capability-terms.ts'
import { type DomainEvent, event, sessionsOpened } from '../acts/event-rows.ts'
import { type Act, performActs } from '../acts/record-act.ts'
import type { AuthContext } from '../auth-context.ts'
import { factorMethods } from '../sessions/assurance.ts'
import { type AddressChanger, withAddressChanges } from '../users/established-address.ts'
import type { Identity, User } from '../users/user.ts'
import { holdsUsername } from '../users/username.ts'
import { findUsernameOwner } from '../users/usernames.sql.ts'
import { type ReleaseActor, removalsBy } from './release-unconfirmed-addresses.ts'
import { saveUser, setsBan, type UserSave } from './save-user.sql.ts'

const strongMethods = [...Object.values(factorMethods), ...factorSubstitutes]

/** A changed account, with the records of the change. */
export interface UserChange
  extends Omit<UserSave, 'auditRows' | 'messageRows' | 'releasedRows'>,
    Pick<Act, 'audit' | 'messages' | 'notices' | 'isConcealed'> {
  /**
   * The actor in whose name reclaimable accounts that have a new address are deleted. By default
   * they keep the address.
   */
  releasesBy?: ReleaseActor
  /** The cause of a new address, which decides its age. */
  changedBy: AddressChanger
}

/**
 * Changes a user, and records the change. A user name that waited for the confirmation is not
 * stored where another user has it.
 *
 * @returns the stored user; null when nothing changes: see {@link saveUser}.
 * @throws AuthError the errors of {@link saveUser}.
 */
export async function changeUser(
  ctx: AuthContext,
  {
    audit,
    messages = [],
    notices = [],
    isConcealed = false,
    releasesBy,
    changedBy,
    ...given
  }: UserChange,
): Promise<User | null> {
  const changed = { now: ctx.clock.now(), changedBy }
  const kept = await withoutLostUsername(ctx, given)
  const change = { ...given, after: withAddressChanges(given.before, kept, changed) }
  const events = { userId: change.before.user.id, events: eventsOf(change) }
  const saved = await performActs(
    ctx,
    {
      changed: {
        audit,
        messages,
        notices,
        isConcealed,
        events,
        // Default: whether an event ends sessions.
        ...(setsBan(change) && { mayReportSessions: true }),
      },
      // At most one account for each of two addresses.
      released: { audit: releasesBy ? removalsBy(releasesBy, 2) : [] },
    },
    ({ changed, released }) =>
      saveUser(
        ctx,
        { ...change, ...changed, releasedRows: releasesBy ? released.auditRows : null },
        strongMethods,
      ),
    (result) => (result ? { changed: true, released: { about: result.deletedUserIds } } : {}),
  )
  return saved && change.after
}

/**
 * Returns the changed user, without the user name of a sign-up that is confirmed after another one
 * with the same name.
 */
async function withoutLostUsername(
  { sql }: AuthContext,
  {
    before,
    after,
    signUpOrigin = before.signUpOrigin,
  }: Omit<UserSave, 'auditRows' | 'releasedRows'>,
): Promise<User> {
  const { username } = after
  const isWaiting = username !== null && username === before.user.username
  if (!isWaiting || holdsUsername(before.user, before.signUpOrigin)) return after
  if (!holdsUsername(after, signUpOrigin)) return after
  const owner = await findUsernameOwner(sql, after.audience, username)
  return owner ? { ...after, username: null } : after
}

type Changes = Pick<UserSave, 'before' | 'after' | 'passwordHash' | 'sessionRows'>

function eventsOf({ before, after, passwordHash, sessionRows }: Changes): DomainEvent[] {
  const { user } = before
  return [
    ...(user.email === after.email ? [] : [event('email.changed', {})]),
    ...(user.phone === after.phone ? [] : [event('phone.changed', {})]),
    ...(before.passwordHash === passwordHash ? [] : [event('password.changed', {})]),
    ...added(user, after).map(({ provider }) => event('identity.linked', { provider })),
    ...added(after, user).map(({ provider }) => event('identity.unlinked', { provider })),
    ...sessionsOpened(sessionRows),
  ]
}

/** Returns the identities of the second user that the first does not have. */
const added = (before: User, { identities }: User): Identity[] =>
  identities.filter(({ id }) => !before.identities.some((one) => one.id === id))
