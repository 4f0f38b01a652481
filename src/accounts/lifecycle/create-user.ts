import { outboxRows } from '../../delivery/messages/outbox-rows.ts'
import { joinRows, noRows, type Rows, rowsOf } from '../../platform/sql/tables.ts'
import {
  type DomainEvent,
  deliverEvents,
  event,
  eventRows,
  sessionsOpened,
} from '../acts/event-rows.ts'
import { type AuditNote, auditNote } from '../audit/audit-note.ts'
import type { AuditEvent } from '../audit/audit-row.ts'
import type { AuthContext } from '../auth-context.ts'
import type { Admin } from '../callers/authenticate-admin.ts'
import type { Approval } from '../users/approval.ts'
import type { StoredUser, UserWithPassword } from '../users/find-user.sql.ts'
import { insertUser, type UserInsertion } from '../users/insert-user.sql.ts'
import { insertUsers } from '../users/insert-users.sql.ts'
import { requireMetadataFits } from '../users/metadata.ts'
import { presentUser } from '../users/present-user.ts'
import type { User } from '../users/user.ts'
import { approveNewUser } from './approve-new-user.ts'
import { changeUser } from './change-user.ts'

/** Somebody who is to be a user, and what is stored with them. */
export interface UserToCreate extends Omit<UserInsertion, 'auditRows' | 'approval'> {
  /** An approval that was requested earlier. By default it is requested now. */
  approval?: Approval | Promise<Approval>
  /** What is recorded of it; where a session is opened at once, that too. */
  events: readonly AuditEvent[]
  /** Events beside the creation of the user and of the session. */
  domainEvents?: readonly DomainEvent[]
}

/**
 * Makes a user, wherever they come from, unless the application refuses them: the one way in, save for {@link importUsers}.
 *
 * @returns what is to be logged once it is stored for good; null when id, email or phone belongs to another
 *   user already, and nothing is stored.
 * @throws AuthError `validation_failed` (422) for metadata that is too large, and what {@link approveNewUser} throws.
 */
export async function createUser(
  ctx: AuthContext,
  { approval: given, events, domainEvents = [], ...newcomer }: UserToCreate,
): Promise<AuditNote | null> {
  requireMetadataFits(ctx.config, newcomer.user)
  const approval = await (given ?? approveNewUser(ctx, newcomer.user))
  const note = auditNote(ctx, ...events)
  const news = userCreatedMessage(ctx, newcomer.user)
  const { user, sessionRows } = newcomer
  const all = [event('user.created', {}), ...domainEvents, ...sessionsOpened(sessionRows)]
  const messageRows = joinRows(newcomer.messageRows, news, eventRows(ctx, user.id, all))
  if (!(await insertUser(ctx.sql, { ...newcomer, approval, messageRows, auditRows: note.rows })))
    return null
  if (news !== noRows) ctx.outbox.wake()
  deliverEvents(ctx)
  return note
}

/** What tells the application of a new user, once they are stored: the answer waits for nobody who hears of it. */
function userCreatedMessage(ctx: AuthContext, user: User): Rows<'outbox_messages'> {
  if (!ctx.config.hooks.afterUserCreated.enabled) return noRows
  const message = { channel: 'user_hook', content: { user: presentUser(user) } } as const
  const recipient = user.email ?? user.phone ?? ''
  const order = { message, kind: 'user_created', recipient, userId: user.id, expiresAt: null }
  return rowsOf('outbox_messages', ...outboxRows(ctx, [order]))
}

/**
 * Makes a user, or changes who is there already into this one.
 *
 * @param existing as read before; null where nobody has the address.
 * @returns null where somebody else was faster: see {@link createUser}.
 */
export async function createOrSaveUser(
  ctx: AuthContext,
  existing: StoredUser | null,
  { events, user, ...stored }: UserToCreate,
): Promise<AuditNote | null> {
  if (!existing) return createUser(ctx, { events, user, ...stored })
  const note = auditNote(ctx, ...events)
  const change = { before: existing, after: user, ...stored, auditRows: note.rows }
  return (await changeUser(ctx, change)) ? note : null
}

/** Which of many users are stored. */
export interface ImportedUsers {
  userIds: ReadonlySet<string>
  /** To be called once they are stored for good. */
  log(): void
}

/**
 * Makes users as another service had them: those whom nobody is in the way of. Their metadata was judged
 * one by one, since one that is too large must not keep the others out.
 *
 * @throws AuthError `conflict` when somebody else stores one of their identities at this moment. Then
 *   nothing is stored.
 */
export async function importUsers(
  ctx: AuthContext,
  admin: Admin,
  users: readonly UserWithPassword[],
): Promise<ImportedUsers> {
  const note = auditNote(ctx, ...users.map(({ user }) => signedUpBy(admin, user)))
  const userIds = await insertUsers(ctx.sql, users, note.rows)
  return { userIds, log: () => note.logAbout(userIds) }
}

/** What is recorded of a user whom an operator makes. */
export const signedUpBy = ({ role }: Admin, { id, appMetadata }: User): AuditEvent => ({
  action: 'user_signedup',
  actorRole: role,
  userId: id,
  traits: { provider: appMetadata['provider'] },
})
