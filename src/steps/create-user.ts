import { type AuditNote, auditNote } from '../audit/audit-note.ts'
import type { AuditEvent } from '../audit/audit-row.ts'
import type { AuthContext } from '../deps.ts'
import type { StoredUser, UserWithPassword } from '../users/find-user.sql.ts'
import { insertUser, type UserInsertion } from '../users/insert-user.sql.ts'
import { insertUsers } from '../users/insert-users.sql.ts'
import { requireMetadataFits } from '../users/metadata.ts'
import { saveUser } from '../users/save-user.sql.ts'
import type { User } from '../users/user.ts'
import type { Admin } from './authenticate-admin.ts'

/** Somebody who is to be a user, and what is stored with them. */
export interface UserToCreate extends Omit<UserInsertion, 'auditRows'> {
  /** What is recorded of it; where a session is opened at once, that too. */
  events: readonly AuditEvent[]
}

/**
 * Makes a user, wherever they come from: the one way in, save for {@link importUsers}.
 *
 * @returns what is to be logged once it is stored for good; null when id, email or phone belongs to another
 *   user already, and nothing is stored.
 * @throws AuthError `validation_failed` (422) for metadata that is too large.
 */
export async function createUser(
  ctx: AuthContext,
  { events, ...newcomer }: UserToCreate,
): Promise<AuditNote | null> {
  requireMetadataFits(ctx.config, newcomer.user)
  const note = auditNote(ctx, ...events)
  const isStored = await insertUser(ctx.sql, { ...newcomer, auditRows: note.rows })
  return isStored ? note : null
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
  return (await saveUser(ctx.sql, change)) ? note : null
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
