import { event } from '../../accounts/acts/event-rows.ts'
import { performAct } from '../../accounts/acts/record-act.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Admin } from '../../accounts/callers/authenticate-admin.ts'
import { requireUserById } from '../../endpoints/admin-users/find-user.ts'
import { isUuid } from '../../platform/kit/uuid.ts'
import { deleteTrustedDevice } from './delete-trusted-device.sql.ts'
import { findTrustedDevices } from './find-trusted-devices.sql.ts'
import type { TrustedDevice } from './trusted-device.ts'
import { trustedDeviceNotFound } from './trusted-device-errors.ts'

/**
 * Returns a user's trusted devices, the oldest first, also while trusted devices are disabled.
 *
 * @throws AuthError `validation_failed` (404) for an id that is not a UUID, `user_not_found` (404).
 */
export async function listUserTrustedDevices(
  ctx: AuthContext,
  userId: string,
): Promise<TrustedDevice[]> {
  const { id } = await requireUserById(ctx, userId)
  return findTrustedDevices(ctx.sql, { userId: id, now: ctx.clock.now() })
}

/**
 * Ends the trust in a device of a user.
 *
 * @throws AuthError `validation_failed` (404) for a user id that is not a UUID, `user_not_found`,
 *   `trusted_device_not_found` (404).
 */
export async function removeUserTrustedDevice(
  ctx: AuthContext,
  admin: Admin,
  { userId, deviceId }: { userId: string; deviceId: string },
): Promise<void> {
  const { id } = await requireUserById(ctx, userId)
  if (!isUuid(deviceId)) throw trustedDeviceNotFound()
  const about = { device_id: deviceId.toLowerCase() }
  const act = {
    audit: { action: 'trusted_device_removed', actorRole: admin.role, userId: id, traits: about },
    events: { userId: id, events: [event('trusted_device.removed', about)] },
  } as const
  const existed = await performAct(ctx, act, (rows) =>
    deleteTrustedDevice(ctx.sql, { userId: id, deviceId, ...rows }),
  )
  if (!existed) throw trustedDeviceNotFound()
}
