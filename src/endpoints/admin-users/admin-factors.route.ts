import { event } from '../../accounts/acts/event-rows.ts'
import { performAct } from '../../accounts/acts/record-act.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import {
  type Admin,
  requireMayChangeCredentials,
} from '../../accounts/callers/authenticate-admin.ts'
import { withLockedUser } from '../../accounts/callers/with-locked-user.ts'
import { factorNameConflict, factorNotFound } from '../../accounts/factors/factor-errors.ts'
import { updateFactor } from '../../accounts/factors/factors.sql.ts'
import { presentRecoveryCodes } from '../../accounts/factors/recovery-code.ts'
import { countRecoveryCodes } from '../../accounts/factors/recovery-codes.sql.ts'
import { removeFactor } from '../../accounts/lifecycle/remove-factor.sql.ts'
import { factorMethods } from '../../accounts/sessions/assurance.ts'
import { readPhone } from '../../accounts/users/addresses.ts'
import { presentFactor } from '../../accounts/users/present-user.ts'
import {
  type Factor,
  isRecoveryCodes,
  type RecoveryCodesStatus,
} from '../../accounts/users/user.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { requireShort } from '../../platform/kit/storable-text.ts'
import { isUuid } from '../../platform/kit/uuid.ts'
import { implement } from '../http/implement.ts'
import {
  deleteFactorByIdEndpoint,
  type FactorChanges,
  getRecoveryCodesByIdEndpoint,
  listFactorsEndpoint,
  updateFactorByIdEndpoint,
} from './admin-factors.endpoint.ts'
import { requireUserById } from './find-user.ts'

export const adminFactorsRoutes = [
  implement(listFactorsEndpoint, {
    run: async ({ ctx, ids }) => (await requireUserById(ctx, ids.userId)).factors,
    // Without the recovery codes, as in the wire form of a user: older clients fail on this type.
    present: (factors) => factors.filter((one) => !isRecoveryCodes(one)).map(presentFactor),
  }),
  implement(updateFactorByIdEndpoint, {
    run: ({ ctx, admin, ids, input }) => changeFactor(ctx, admin, ids, input),
    present: presentFactor,
  }),
  implement(deleteFactorByIdEndpoint, {
    run: ({ ctx, admin, ids }) => deleteFactor(ctx, admin, ids),
    present: presentFactor,
    returns: () => undefined,
  }),
  implement(getRecoveryCodesByIdEndpoint, {
    run: ({ ctx, ids }) => getRecoveryCodes(ctx, ids.userId),
    present: presentRecoveryCodes,
  }),
] as const

async function getRecoveryCodes(ctx: AuthContext, userId: string): Promise<RecoveryCodesStatus> {
  const { factors } = await requireUserById(ctx, userId)
  const factor = factors.find(isRecoveryCodes)
  if (!factor) throw factorNotFound()
  return countRecoveryCodes(ctx.sql, factor.id)
}

/**
 * Renames a factor, or changes the number of a phone. It stays verified.
 *
 * @throws AuthError as {@link deleteFactor}, `validation_failed` (400), `mfa_factor_name_conflict`
 *   (422), `conflict` (409) for a number that another factor of the user has.
 */
async function changeFactor(
  ctx: AuthContext,
  admin: Admin,
  ids: FactorIds,
  changes: FactorChanges,
): Promise<Factor> {
  const { userId, factor, others } = await requireFactor(ctx, ids)
  if (changes.phone) requireMayChangeCredentials(ctx, admin, userId)
  const friendlyName = requireShort(changes.friendlyName ?? '', 'friendly_name') || null
  const isNewPhone = factor.phone !== null && changes.phone
  const phone = isNewPhone ? readPhone(changes.phone ?? '').value : null
  if (friendlyName !== null && others.some((one) => one.friendlyName === friendlyName)) {
    throw factorNameConflict(friendlyName)
  }
  const now = ctx.clock.now()
  const changed = [
    ...(friendlyName !== null ? ['friendly_name'] : []),
    ...(phone !== null ? ['phone'] : []),
  ]
  const traits = { factor_id: factor.id, factor_type: factor.factorType, changed }
  const audit = { action: 'factor_updated', actorRole: admin.role, userId, traits } as const
  const change = { userId, factorId: factor.id, friendlyName, phone, now }
  const existed = await performAct(ctx, { audit }, ({ auditRows }) =>
    updateFactor(ctx.sql, { ...change, auditRows }),
  )
  if (!existed) throw factorNotFound()
  return {
    ...factor,
    updatedAt: now,
    ...(friendlyName !== null && { friendlyName }),
    ...(phone !== null && { phone }),
  }
}

/**
 * Removes a factor, for example a lost one. Sessions that it proved stay, at `aal1`.
 *
 * @returns the removed factor.
 * @throws AuthError `validation_failed` (404) for an invalid UUID, `user_not_found`,
 *   `mfa_factor_not_found` (404), `reauthentication_needed` (403) for the operator's own verified
 *   factor without a recent proof of one.
 */
async function deleteFactor(ctx: AuthContext, admin: Admin, ids: FactorIds): Promise<Factor> {
  const { userId, factor } = await requireFactor(ctx, ids)
  if (factor.status === 'verified') requireMayChangeCredentials(ctx, admin, userId)
  const traits = { factor_id: factor.id }
  const removal = { userId, factorId: factor.id, methods: factorMethods }
  const about = { factor_id: factor.id, factor_type: factor.factorType }
  const act = {
    audit: { action: 'factor_deleted', actorRole: admin.role, userId, traits },
    events: {
      userId,
      events: factor.status === 'verified' ? [event('factor.removed', about)] : [],
    },
  } as const
  const existed = await withLockedUser(ctx, userId, (tx) =>
    performAct(tx, act, (rows) => removeFactor(tx.sql, { ...removal, ...rows })),
  )
  if (!existed) throw factorNotFound()
  return factor
}

/** The ids of a user and a factor. */
interface FactorIds {
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
