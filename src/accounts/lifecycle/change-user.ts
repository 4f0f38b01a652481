import { joinRows } from '../../platform/sql/tables.ts'
import {
  type DomainEvent,
  deliverEvents,
  event,
  eventRows,
  sessionsOpened,
} from '../acts/event-rows.ts'
import type { AuthContext } from '../auth-context.ts'
import { factorMethods } from '../sessions/assurance.ts'
import type { Identity, User } from '../users/user.ts'
import { saveUser, type UserSave } from './save-user.sql.ts'

const strongMethods = [...Object.values(factorMethods), 'trusted_device']

/**
 * Changes a user, and tells the application what has changed.
 *
 * @returns false when nothing changes: see {@link saveUser}.
 * @throws AuthError what {@link saveUser} throws.
 */
export async function changeUser(ctx: AuthContext, change: UserSave): Promise<boolean> {
  if (!ctx.config.hooks.events.enabled) return saveUser(ctx.sql, change, strongMethods)
  const news = eventRows(ctx, change.before.user.id, eventsOf(change))
  const messageRows = joinRows(change.messageRows, news)
  const isSaved = await saveUser(ctx.sql, { ...change, messageRows }, strongMethods)
  if (isSaved) deliverEvents(ctx)
  return isSaved
}

function eventsOf({ before, after, passwordHash, sessionRows }: UserSave): DomainEvent[] {
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

/** The identities that the latter has, and the former has not. */
const added = (before: User, { identities }: User): Identity[] =>
  identities.filter(({ id }) => !before.identities.some((one) => one.id === id))
