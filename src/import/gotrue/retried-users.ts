import { AuthError } from '../../platform/errors/auth-error.ts'
import type { Verdict } from './classify-user.ts'
import type { GotrueBatchResult } from './store-batch.ts'

/**
 * The number of users to retry that a run collects before it collects no more. The next run stores
 * the others.
 */
export const retriedAtMost = 10_000

/** A batch, divided into the users that are reported now and the users to retry. */
export interface SettledBatch {
  settled: GotrueBatchResult
  /**
   * The users that were rejected for a value of another user, such as an address. They are stored
   * again after all others: the other user may have released it in this run.
   */
  retriedIds: string[]
}

/** Returns a batch without users to retry. */
export const allSettled = (settled: GotrueBatchResult): SettledBatch => ({
  settled,
  retriedIds: [],
})

/** Returns a batch whose users with a value of another user are retried. */
export function withoutTaken(batch: GotrueBatchResult): SettledBatch {
  const outcomes = [...batch.outcomes]
  const retriedIds = outcomes.flatMap(([{ moved }, outcome]) =>
    isTaken(outcome) ? [moved.user.id] : [],
  )
  const settledOf = <Stored extends { refusedOf: readonly string[] }>(stored: Stored): Stored => ({
    ...stored,
    refusedOf: stored.refusedOf.filter((userId) => !retriedIds.includes(userId)),
  })
  return {
    settled: {
      ...batch,
      outcomes: new Map(outcomes.filter(([, outcome]) => !isTaken(outcome))),
      factors: settledOf(batch.factors),
      passkeys: settledOf(batch.passkeys),
    },
    retriedIds,
  }
}

const isTaken = (outcome: Verdict | AuthError): boolean =>
  outcome instanceof AuthError && takenCodes.includes(outcome.code)

const takenCodes: readonly string[] = ['email_exists', 'phone_exists', 'identity_already_exists']
