import { performAct } from '../acts/record-act.ts'
import type { AuditEvent } from '../audit/audit-row.ts'
import type { TransactionContext } from '../auth-context.ts'
import { deleteReclaimable } from '../users/competing-accounts.sql.ts'
import type { User } from '../users/user.ts'

/** The actor: a user, or an operator by role. */
export type ReleaseActor = Pick<AuditEvent, 'actorId' | 'actorRole'>

/**
 * Deletes the reclaimable accounts that have an address of these users, who are stored in the same
 * transaction.
 *
 * @returns the number of accounts.
 */
export async function releaseUnconfirmedAddresses(
  ctx: TransactionContext,
  users: readonly Pick<User, 'id' | 'email' | 'phone'>[],
  by: ReleaseActor,
): Promise<number> {
  const deletedIds = await performAct(
    ctx,
    // Each user has two addresses.
    { audit: removalsBy(by, 2 * users.length) },
    ({ auditRows }) => deleteReclaimable(ctx, users, auditRows),
    (about) => ({ about }),
  )
  return deletedIds.length
}

/**
 * Returns audit entries of deleted accounts. The statement sets their users, for as many as it
 * deletes.
 */
export const removalsBy = (by: ReleaseActor, count: number): AuditEvent[] =>
  Array.from({ length: count }, () => ({
    action: 'user_deleted',
    ...by,
    traits: { reason: 'unproved' },
  }))
