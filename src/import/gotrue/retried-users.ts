import type { TransactionContext } from '../../accounts/auth-context.ts'
import type { Admin } from '../../accounts/callers/authenticate-admin.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { lossesOf, lostCredentials } from './add-up.ts'
import type { Verdict } from './classify-user.ts'
import type { Loss } from './import-report.ts'
import type { ReadUser } from './read-user.ts'
import { type GotrueBatchResult, storeBatch } from './store-batch.ts'

/**
 * The number of users to retry that a run collects before it collects no more. The next run stores
 * the others.
 */
export const retriedAtMost = 10_000

/**
 * Stores a batch, and in the same transaction once more its users that were rejected for a value of
 * another user: a user of the batch may have released it. A rejected change removes a replaced
 * address. If the new address were stored in a later transaction, the user would have none until
 * then, and its owner could create another account with it.
 */
export async function storeWithRetry(
  ctx: TransactionContext,
  admin: Admin,
  users: readonly ReadUser[],
): Promise<GotrueBatchResult> {
  const first = await storeBatch(ctx, admin, users)
  const taken = [...first.outcomes].flatMap(([user, outcome]) => (isTaken(outcome) ? [user] : []))
  // Where nothing was written, nothing was released.
  if (taken.length === 0 || first.writtenIds.size === 0) return first
  return withRetry(first, await storeBatch(ctx, admin, taken))
}

/** Returns the result of a batch, some users of which were stored again. */
function withRetry(first: GotrueBatchResult, retry: GotrueBatchResult): GotrueBatchResult {
  const notRetried = [...first.reducedByOriginal].filter(([user]) => !retry.outcomes.has(user))
  const refusedOf = (kind: 'factors' | 'passkeys') => [
    ...first[kind].refusedOf.filter((userId) => !retry.writtenIds.has(userId)),
    ...retry[kind].refusedOf,
  ]
  return {
    outcomes: new Map([...first.outcomes, ...retry.outcomes]),
    reducedByOriginal: new Map([...notRetried, ...retry.reducedByOriginal]),
    writtenIds: new Set([...first.writtenIds, ...retry.writtenIds]),
    sessions: {
      opened: first.sessions.opened + retry.sessions.opened,
      ended: first.sessions.ended + retry.sessions.ended,
    },
    factors: {
      added: first.factors.added + retry.factors.added,
      removed: first.factors.removed + retry.factors.removed,
      resealed: first.factors.resealed + retry.factors.resealed,
      refusedOf: refusedOf('factors'),
    },
    passkeys: {
      added: first.passkeys.added + retry.passkeys.added,
      refusedOf: refusedOf('passkeys'),
    },
    signUpsReplaced: first.signUpsReplaced + retry.signUpsReplaced,
  }
}

/** A batch, divided into the users that are reported now and the users to retry. */
export interface SettledBatch {
  settled: GotrueBatchResult
  retried: RetriedUser[]
}

/**
 * A user that was rejected for a value of another user, such as an address. The user is stored
 * again after all others: the other user may have released it in this run.
 */
export interface RetriedUser {
  id: string
  /** The losses of the reduced change. Empty if none is stored here. */
  losses: Loss[]
  /** The factors and passkeys that were rejected when the reduced change was stored. */
  lostCredentials: Loss[]
}

/** Returns a batch without users to retry. */
export const allSettled = (settled: GotrueBatchResult): SettledBatch => ({ settled, retried: [] })

/** Returns a batch whose users with a value of another user are retried. */
export function withoutTaken(batch: GotrueBatchResult): SettledBatch {
  const outcomes = [...batch.outcomes]
  const lost = lostCredentials(batch)
  const retried = outcomes.flatMap(([user, outcome]): RetriedUser[] => {
    if (!isTaken(outcome)) return []
    const { id } = user.moved.user
    return [
      {
        id,
        losses: batch.reducedByOriginal.has(user) ? lossesOf(user, batch) : [],
        lostCredentials: lost.filter(({ userId }) => userId === id),
      },
    ]
  })
  const retriedIds = new Set(retried.map(({ id }) => id))
  const settledOf = <Stored extends { refusedOf: readonly string[] }>(stored: Stored): Stored => ({
    ...stored,
    refusedOf: stored.refusedOf.filter((userId) => !retriedIds.has(userId)),
  })
  return {
    settled: {
      ...batch,
      outcomes: new Map(outcomes.filter(([, outcome]) => !isTaken(outcome))),
      factors: settledOf(batch.factors),
      passkeys: settledOf(batch.passkeys),
    },
    retried,
  }
}

/**
 * Returns the losses of users before their retry that the result of the retry does not contain. It
 * contains the rejected factors and passkeys only of users that it wrote, and no losses of users
 * that were changed here meanwhile.
 */
export function earlierLosses(
  retried: ReadonlyMap<string, RetriedUser>,
  { outcomes, writtenIds }: Pick<GotrueBatchResult, 'outcomes' | 'writtenIds'>,
): Loss[] {
  return [...outcomes].flatMap(([{ moved }, outcome]) => {
    const user = retried.get(moved.user.id)
    if (!user || writtenIds.has(user.id) || outcome === 'deleted here') return []
    return [...(outcome === 'changed here' ? user.losses : []), ...user.lostCredentials]
  })
}

const isTaken = (outcome: Verdict | AuthError): boolean =>
  outcome instanceof AuthError && takenCodes.includes(outcome.code)

const takenCodes: readonly string[] = ['email_exists', 'phone_exists', 'identity_already_exists']
