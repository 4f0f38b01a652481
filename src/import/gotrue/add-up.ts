import { hasAddress } from '../../accounts/users/user.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { rejectionOf } from '../../platform/errors/rejection.ts'
import type { Verdict } from './classify-user.ts'
import type { PartResult } from './import-part.ts'
import type { GotrueImportReport, Loss, PartKind, UserCounts } from './import-report.ts'
import type { ReadUser } from './read-user.ts'
import type { MissingUsers } from './settle-missing.ts'
import type { GotrueBatchResult } from './store-batch.ts'

const countedAs: Record<Verdict, keyof UserCounts> = {
  add: 'added',
  update: 'updated',
  unchanged: 'unchanged',
  'changed here': 'changedHere',
  'deleted here': 'deletedHere',
}

/** Adds the result of a batch to the totals. */
export function addUp(
  report: GotrueImportReport,
  batch: GotrueBatchResult,
  missingUsers: MissingUsers,
): void {
  const { users, sessions, factors, passkeys } = report
  for (const outcome of batch.outcomes.values()) {
    users[outcome instanceof AuthError ? 'refused' : countedAs[outcome]] += 1
  }
  users.signUpsReplaced += batch.signUpsReplaced
  report.done += batch.outcomes.size
  users.missing += missingUsers.missing
  users.removed += missingUsers.removed
  sessions.opened += batch.sessions.opened
  sessions.ended += batch.sessions.ended
  factors.added += batch.factors.added
  factors.removed += batch.factors.removed
  factors.resealed += batch.factors.resealed
  passkeys.added += batch.passkeys.added
}

/** Adds the result of a part to the totals, and returns its losses. */
export function addPart({ applications }: GotrueImportReport, { added, losses }: PartResult) {
  for (const [kind, count] of Object.entries(added)) applications[kind as PartKind] += count
  return losses
}

/**
 * Returns the data of a user that were not imported. A rejected new user is lost as a whole, and a
 * rejected change in part. A user that was deleted here is named, since rows of the application may
 * refer to them. A user that was changed here before the batch loses nothing.
 */
export function lossesOf(
  user: ReadUser,
  { outcomes, reducedByOriginal }: GotrueBatchResult,
): Loss[] {
  const outcome = outcomes.get(user)
  const { id: userId } = user.moved.user
  if (outcome === 'deleted here') return [{ userId, what: 'user', reason: outcome }]
  if (outcome instanceof AuthError) {
    const reason = reasonOf(outcome)
    const reduced = reducedByOriginal.get(user)
    if (!reduced) return [{ userId, what: 'user', reason }]
    const withoutAddress: Loss = { userId, what: 'change', reason: 'no address left' }
    return [
      { userId, what: 'change', reason },
      ...(hasLostAddress(user, reduced) ? [withoutAddress] : []),
      ...user.losses,
    ]
  }
  return outcome === 'changed here' ? [] : user.losses
}

/**
 * Returns whether a user has an address at the source and none here, since the new one cannot be
 * stored.
 */
const hasLostAddress = ({ moved: { user } }: ReadUser, reduced: ReadUser): boolean =>
  hasAddress(user) && !hasAddress(reduced.moved.user) && !reduced.moved.user.isAnonymous

/** Returns the reason of a rejection. Losses are counted by reason, so it contains no values. */
const reasonOf = (rejection: AuthError): string =>
  rejection.code === 'validation_failed'
    ? `${rejectionOf(rejection).field} is too large`
    : rejection.code

/**
 * Returns factors whose name, number or credential another factor here has, and passkeys that a
 * user here has already.
 */
export const lostCredentials = ({ factors, passkeys }: GotrueBatchResult): Loss[] => [
  ...factors.refusedOf.map((userId) => ({ userId, what: 'factor', reason: 'name taken' }) as const),
  ...passkeys.refusedOf.map((userId) => ({ userId, what: 'passkey', reason: 'taken' }) as const),
]

/** Adds losses to the report, by kind. */
export function noteLosses(report: GotrueImportReport, losses: readonly Loss[]): void {
  for (const { what, reason, count = 1 } of losses) {
    const kind = `${what}: ${reason}`
    report.losses[kind] = (report.losses[kind] ?? 0) + count
  }
}
