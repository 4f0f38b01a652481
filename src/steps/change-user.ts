import type { AuthContext } from '../deps.ts'
import { joinRows } from '../sql/tables.ts'
import { saveUser, type UserSave } from '../users/save-user.sql.ts'
import type { Identity, User } from '../users/user.ts'
import { eventRows, type Happening, happened, sessionsOpened, tellEvents } from './event-rows.ts'

/**
 * Changes a user, and tells the application what has changed.
 *
 * @returns false when nothing changes: see {@link saveUser}.
 * @throws AuthError what {@link saveUser} throws.
 */
export async function changeUser(ctx: AuthContext, change: UserSave): Promise<boolean> {
  if (!ctx.config.hooks.events.enabled) return saveUser(ctx.sql, change)
  const news = eventRows(ctx, change.before.user.id, happeningsOf(change))
  const messageRows = joinRows(change.messageRows, news)
  const isSaved = await saveUser(ctx.sql, { ...change, messageRows })
  if (isSaved) tellEvents(ctx)
  return isSaved
}

function happeningsOf({ before, after, passwordHash, sessionRows }: UserSave): Happening[] {
  const { user } = before
  return [
    ...(user.email === after.email ? [] : [happened('email.changed', {})]),
    ...(user.phone === after.phone ? [] : [happened('phone.changed', {})]),
    ...(before.passwordHash === passwordHash ? [] : [happened('password.changed', {})]),
    ...added(user, after).map(({ provider }) => happened('identity.linked', { provider })),
    ...added(after, user).map(({ provider }) => happened('identity.unlinked', { provider })),
    ...sessionsOpened(sessionRows),
  ]
}

/** The identities that the latter has, and the former has not. */
const added = (before: User, { identities }: User): Identity[] =>
  identities.filter(({ id }) => !before.identities.some((one) => one.id === id))
