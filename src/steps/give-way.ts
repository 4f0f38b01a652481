import { auditNote } from '../audit/audit-note.ts'
import type { AuditEvent } from '../audit/audit-row.ts'
import type { AuthContext, TransactionContext } from '../deps.ts'
import { deleteGivingWay } from '../users/delete-giving-way.sql.ts'
import type { AddressClaim } from '../users/save-user.sql.ts'
import type { User } from '../users/user.ts'

/** Who acts: a user, or an operator by role. */
type Actor = Pick<AuditEvent, 'actorId' | 'actorRole'>

/** A claim of addresses, and the lines about it for the log, once it is stored. */
export interface NotedClaim extends AddressClaim {
  log(): void
}

/** For a user who gets new addresses: the accounts that hold them are removed with the change, where they give way. */
export function addressClaim(ctx: AuthContext, by: Actor): NotedClaim {
  const gone: string[] = []
  // At most one account for each of two addresses.
  const note = auditNote(ctx, removal(by), removal(by))
  return {
    auditRows: note.rows,
    noteGone: (userIds) => gone.push(...userIds),
    log: () => note.logAboutEach(gone),
  }
}

/** Accounts that are gone, and the lines about them for the log, once that is committed. */
export interface Removals {
  count: number
  log(): void
}

/** Removes the accounts that hold an address of these and give way, before these are stored in the same transaction. */
export async function giveWay(
  ctx: TransactionContext,
  users: readonly Pick<User, 'id' | 'email' | 'phone'>[],
  by: Actor,
): Promise<Removals> {
  const note = auditNote(ctx, ...users.flatMap(() => [removal(by), removal(by)]))
  const gone = await deleteGivingWay(ctx.sql, users, note.rows)
  return { count: gone.length, log: () => note.logAboutEach(gone) }
}

const removal = (by: Actor) =>
  ({ action: 'user_deleted', ...by, traits: { reason: 'unproved' } }) satisfies AuditEvent
