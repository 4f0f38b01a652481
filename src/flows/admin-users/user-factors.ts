import { auditNote } from '../../audit/audit-note.ts'
import type { AuthContext } from '../../deps.ts'
import { validationFailed } from '../../errors/request-errors.ts'
import {
  countRecoveryCodes,
  type RecoveryCodesStatus,
} from '../../factors/count-recovery-codes.sql.ts'
import { factorNameConflict, factorNotFound } from '../../factors/factor-errors.ts'
import { removeFactor } from '../../factors/remove-factor.sql.ts'
import { updateFactor } from '../../factors/update-factor.sql.ts'
import { requireShort } from '../../kit/storable-text.ts'
import { isUuid } from '../../kit/uuid.ts'
import { factorMethods } from '../../sessions/assurance.ts'
import type { Admin } from '../../steps/authenticate-admin.ts'
import { eventRows, happened, tellEvents } from '../../steps/event-rows.ts'
import { withLockedUser } from '../../steps/with-locked-user.ts'
import { readPhone } from '../../users/addresses.ts'
import { type Factor, isRecoveryCodes } from '../../users/user.ts'
import type { FactorChanges } from './admin-factors.endpoint.ts'
import { requireUserById } from './require-user-by-id.ts'

/**
 * A user's second factors, the oldest first.
 *
 * @throws AuthError `validation_failed` (404) for what is no UUID, `user_not_found` (404).
 */
export const listFactors = async (ctx: AuthContext, userId: string): Promise<Factor[]> =>
  (await requireUserById(ctx, userId)).factors

/**
 * How many recovery codes a user has left.
 *
 * @throws AuthError `validation_failed` (404) for what is no UUID, `user_not_found`, `mfa_factor_not_found` (404).
 */
export async function getRecoveryCodes(
  ctx: AuthContext,
  userId: string,
): Promise<RecoveryCodesStatus> {
  const { factors } = await requireUserById(ctx, userId)
  const factor = factors.find(isRecoveryCodes)
  if (!factor) throw factorNotFound()
  return countRecoveryCodes(ctx.sql, factor.id)
}

/**
 * Renames a factor, or gives a phone another number. It stays verified.
 *
 * @throws AuthError as {@link deleteFactor}, `validation_failed` (400), `mfa_factor_name_conflict` (422),
 *   `conflict` (409) for a number that another factor of the user has.
 */
export async function changeFactor(
  ctx: AuthContext,
  admin: Admin,
  ids: FactorIds,
  changes: FactorChanges,
): Promise<Factor> {
  const { userId, factor, others } = await requireFactor(ctx, ids)
  const friendlyName = requireShort(changes.friendlyName ?? '', 'friendly_name') || null
  const isNewPhone = factor.phone !== null && changes.phone
  const phone = isNewPhone ? readPhone(changes.phone ?? '').value : null
  if (friendlyName !== null && others.some((one) => one.friendlyName === friendlyName)) {
    throw factorNameConflict(friendlyName)
  }
  const now = ctx.clock.now()
  const traits = { factor_id: factor.id, factor_type: factor.factorType }
  const entry = { action: 'factor_updated', actorRole: admin.role, userId, traits } as const
  const note = auditNote(ctx, entry)
  const existed = await updateFactor(ctx.sql, {
    userId,
    factorId: factor.id,
    friendlyName,
    phone,
    now,
    auditRows: note.rows,
  })
  if (!existed) throw factorNotFound()
  note.log()
  return {
    ...factor,
    updatedAt: now,
    ...(friendlyName !== null && { friendlyName }),
    ...(phone !== null && { phone }),
  }
}

/**
 * Removes a factor, as for somebody who lost it. Sessions that it proved stay, at `aal1`.
 *
 * @returns the factor as it was.
 * @throws AuthError `validation_failed` (404) for what is no UUID, `user_not_found`,
 *   `mfa_factor_not_found` (404).
 */
export async function deleteFactor(
  ctx: AuthContext,
  admin: Admin,
  ids: FactorIds,
): Promise<Factor> {
  const { userId, factor } = await requireFactor(ctx, ids)
  const traits = { factor_id: factor.id }
  const entry = { action: 'factor_deleted', actorRole: admin.role, userId, traits } as const
  const note = auditNote(ctx, entry)
  const removal = { userId, factorId: factor.id, methods: factorMethods }
  const about = { factor_id: factor.id, factor_type: factor.factorType }
  const removed = factor.status === 'verified' ? [happened('factor.removed', about)] : []
  const existed = await withLockedUser(ctx, userId, (tx) =>
    removeFactor(tx.sql, {
      ...removal,
      messageRows: eventRows(ctx, userId, removed),
      auditRows: note.rows,
    }),
  )
  if (!existed) throw factorNotFound()
  note.log()
  tellEvents(ctx)
  return factor
}

/** Which factor of which user. */
export interface FactorIds {
  userId: string
  factorId: string
}

async function requireFactor(ctx: AuthContext, { userId, factorId }: FactorIds) {
  const { id, factors } = await requireUserById(ctx, userId)
  if (!isUuid(factorId)) throw validationFailed('factor_id must be an UUID', 404)
  const factor = factors.find((one) => one.id === factorId.toLowerCase())
  if (!factor) throw factorNotFound()
  return { userId: id, factor, others: factors.filter((one) => one !== factor) }
}
