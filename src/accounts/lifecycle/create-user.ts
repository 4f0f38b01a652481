import { requestDecision } from '../../delivery/hooks/request-decision.ts'
import { outboxRows } from '../../delivery/outbox/outbox-row.ts'
import { type Rows, rowsOf } from '../../platform/sql/tables.ts'
import { type DomainEvent, event, sessionsOpened } from '../acts/event-rows.ts'
import { type Act, performAct } from '../acts/record-act.ts'
import type { AuditEvent } from '../audit/audit-row.ts'
import type { AuthContext } from '../auth-context.ts'
import type { Admin } from '../callers/authenticate-admin.ts'
import type { StoredUser, UserWithPassword } from '../users/find-user.sql.ts'
import { insertUser, insertUsers, type UserInsertion } from '../users/insert-user.sql.ts'
import { requireMetadataFits } from '../users/metadata.ts'
import type { Approval } from '../users/new-user.ts'
import { presentUser } from '../users/present-user.ts'
import type { User } from '../users/user.ts'
import { changeUser } from './change-user.ts'

/** A new user, and the rows that are stored with it. */
export interface UserToCreate
  extends Omit<UserInsertion, 'auditRows' | 'messageRows' | 'approval'>,
    Pick<Act, 'audit' | 'messages' | 'isConcealed'> {
  /** An approval that was requested earlier. By default it is requested now. */
  approval?: Approval | Promise<Approval>
  /** Events beside the creation of the user and of the session. */
  events?: readonly DomainEvent[]
}

/**
 * Creates a user that the application approves. All creations except {@link importUsers} use it.
 *
 * @returns whether the user was stored: false when another user has the id, email or phone.
 * @throws AuthError `validation_failed` (422) for metadata that is too large, and the errors of
 *   {@link approveNewUser}.
 */
export async function createUser(
  ctx: AuthContext,
  { approval: given, events = [], audit, messages, isConcealed, ...newUser }: UserToCreate,
): Promise<boolean> {
  const { user, sessionRows } = newUser
  requireMetadataFits(ctx.config, user)
  const approval = await (given ?? approveNewUser(ctx, user))
  const all = [event('user.created', {}), ...events, ...sessionsOpened(sessionRows)]
  const act: Act = {
    audit,
    events: { userId: user.id, events: all },
    messageRows: userCreatedMessage(ctx, user),
    ...(messages && { messages }),
    ...(isConcealed && { isConcealed }),
  }
  return performAct(ctx, act, (rows) => insertUser(ctx.sql, { ...newUser, approval, ...rows }))
}

/**
 * Returns the message to the hook after the creation of a user. It is delivered after the response.
 */
function userCreatedMessage(ctx: AuthContext, user: User): Rows<'outbox_messages'> {
  if (!ctx.config.hooks.afterUserCreated.enabled) return rowsOf('outbox_messages')
  const message = { channel: 'user_hook', content: { user: presentUser(user) } } as const
  const recipient = user.email ?? user.phone ?? ''
  const order = { message, kind: 'user_created', recipient, userId: user.id, expiresAt: null }
  return rowsOf('outbox_messages', ...outboxRows(ctx, [order]))
}

/**
 * Creates a user, or changes the existing one into it.
 *
 * @param existing as read before; null where no user has the address.
 * @returns the stored user; null where another request was faster: see {@link createUser}.
 */
export async function createOrSaveUser(
  ctx: AuthContext,
  existing: StoredUser | null,
  { user, ...stored }: UserToCreate,
): Promise<User | null> {
  if (!existing) return (await createUser(ctx, { user, ...stored })) ? user : null
  return changeUser(ctx, {
    before: existing,
    after: user,
    changedBy: 'replacement',
    ...stored,
  })
}

/**
 * Creates the users of another service whose ids and addresses are unused here. Their metadata was
 * checked one by one, since one that is too large must not exclude the others.
 *
 * @returns the ids of the users that were stored.
 * @throws AuthError `conflict` when another request stores one of their identities at the same
 *   time. Then nothing is stored.
 */
export const importUsers = (
  ctx: AuthContext,
  admin: Admin,
  users: readonly UserWithPassword[],
): Promise<ReadonlySet<string>> =>
  performAct(
    ctx,
    { audit: users.map(({ user }) => signedUpBy(admin, user)) },
    ({ auditRows }) => insertUsers(ctx.sql, users, auditRows),
    (userIds) => ({ reached: userIds }),
  )

/** Returns the audit entry of a user that an operator creates. */
export const signedUpBy = ({ role }: Admin, { id, appMetadata }: User): AuditEvent => ({
  action: 'user_signedup',
  actorRole: role,
  userId: id,
  traits: { provider: appMetadata['provider'] },
})

/**
 * Requests the application's approval of a new user. Where the response must not reveal whether an
 * account exists, the approval is requested before the look-up, for the user that would be created.
 *
 * @throws AuthError as the hook rejects the user, and when the hook fails.
 */
export async function approveNewUser(ctx: AuthContext, user: User): Promise<Approval> {
  await requestDecision(ctx, 'beforeUserCreated', { user: presentUser(user) })
  return {} as Approval
}
