import { type AuditNote, auditNote } from '../audit/audit-note.ts'
import type { AuditEvent } from '../audit/audit-row.ts'
import type { AuthContext } from '../deps.ts'
import { presentUser } from '../http/present-user.ts'
import { joinRows, noRows, type Rows, rowsOf } from '../sql/tables.ts'
import type { StoredUser, UserWithPassword } from '../users/find-user.sql.ts'
import { insertUser, type UserInsertion } from '../users/insert-user.sql.ts'
import { insertUsers } from '../users/insert-users.sql.ts'
import { requireMetadataFits } from '../users/metadata.ts'
import type { User } from '../users/user.ts'
import { approveNewcomer } from './approve-newcomer.ts'
import type { Admin } from './authenticate-admin.ts'
import { changeUser } from './change-user.ts'
import { eventRows, type Happening, happened, sessionsOpened, tellEvents } from './event-rows.ts'
import { outboxRows } from './outbox-rows.ts'

/** Somebody who is to be a user, and what is stored with them. */
export interface UserToCreate extends Omit<UserInsertion, 'auditRows'> {
  /** What the application answered already to {@link approveNewcomer}; without it, it is asked now. */
  approval?: Promise<void>
  /** What is recorded of it; where a session is opened at once, that too. */
  events: readonly AuditEvent[]
  /** What has happened beside that somebody is there, and signed in. */
  happenings?: readonly Happening[]
}

/**
 * Makes a user, wherever they come from, unless the application refuses them: the one way in, save for {@link importUsers}.
 *
 * @returns what is to be logged once it is stored for good; null when id, email or phone belongs to another
 *   user already, and nothing is stored.
 * @throws AuthError `validation_failed` (422) for metadata that is too large, and what {@link approveNewcomer} throws.
 */
export async function createUser(
  ctx: AuthContext,
  { approval, events, happenings = [], ...newcomer }: UserToCreate,
): Promise<AuditNote | null> {
  requireMetadataFits(ctx.config, newcomer.user)
  await (approval ?? approveNewcomer(ctx, newcomer.user))
  const note = auditNote(ctx, ...events)
  const news = newsOf(ctx, newcomer.user)
  const { user, sessionRows } = newcomer
  const all = [happened('user.created', {}), ...happenings, ...sessionsOpened(sessionRows)]
  const messageRows = joinRows(newcomer.messageRows, news, eventRows(ctx, user.id, all))
  if (!(await insertUser(ctx.sql, { ...newcomer, messageRows, auditRows: note.rows }))) return null
  if (news !== noRows) ctx.outbox.wake()
  tellEvents(ctx)
  return note
}

/** What tells the application of a new user, once they are stored: the answer waits for nobody who hears of it. */
function newsOf(ctx: AuthContext, user: User): Rows<'outbox_messages'> {
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
