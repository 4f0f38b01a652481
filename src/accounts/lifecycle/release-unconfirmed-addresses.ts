import { auditNote } from '../audit/audit-note.ts'
import type { AuditEvent } from '../audit/audit-row.ts'
import type { AuthContext, TransactionContext } from '../auth-context.ts'
import { deleteReclaimable } from '../users/delete-reclaimable.sql.ts'
import type { User } from '../users/user.ts'
import type { AddressClaim } from './save-user.sql.ts'

/** Who acts: a user, or an operator by role. */
type Actor = Pick<AuditEvent, 'actorId' | 'actorRole'>

/** A reassignment of addresses, and its lines for the log once it is stored. */
export interface NotedClaim extends AddressClaim {
  log(): void
}

/** For a user with new addresses: reclaimable accounts that have them are deleted with the change. */
export function addressClaim(ctx: AuthContext, by: Actor): NotedClaim {
  const gone: string[] = []
  // At most one account for each of two addresses.
  const note = auditNote(ctx, removal(by), removal(by))
  return {
    auditRows: note.rows,
    addDeletedUsers: (userIds) => gone.push(...userIds),
    log: () => note.logAboutEach(gone),
  }
}

/** Deleted accounts, and their lines for the log once the deletion is committed. */
export interface Removals {
  count: number
  log(): void
}

/** Deletes the reclaimable accounts that have an address of these users, who are stored in the same transaction. */
export async function releaseUnconfirmedAddresses(
  ctx: TransactionContext,
  users: readonly Pick<User, 'id' | 'email' | 'phone'>[],
  by: Actor,
): Promise<Removals> {
  const note = auditNote(ctx, ...users.flatMap(() => [removal(by), removal(by)]))
  const gone = await deleteReclaimable(ctx.sql, users, note.rows)
  return { count: gone.length, log: () => note.logAboutEach(gone) }
}

const removal = (by: Actor) =>
  ({ action: 'user_deleted', ...by, traits: { reason: 'unproved' } }) satisfies AuditEvent
