import { auditNote } from '../../audit/audit-note.ts'
import type { AuthContext } from '../../deps.ts'
import { isUuid } from '../../kit/uuid.ts'
import type { Admin } from '../../steps/authenticate-admin.ts'
import { eventRows, happened, tellEvents } from '../../steps/event-rows.ts'
import { deleteTrustedDevice } from '../../trusted-devices/delete-trusted-device.sql.ts'
import { findTrustedDevices } from '../../trusted-devices/find-trusted-devices.sql.ts'
import type { TrustedDevice } from '../../trusted-devices/trusted-device.ts'
import { trustedDeviceNotFound } from '../../trusted-devices/trusted-device-errors.ts'
import { requireUserById } from './require-user-by-id.ts'

/**
 * A user's trusted devices, the oldest first, whether or not devices are trusted now.
 *
 * @throws AuthError `validation_failed` (404) for what is no UUID, `user_not_found` (404).
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
 * @throws AuthError `validation_failed` (404) for what is no UUID of a user, `user_not_found`,
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
  const note = auditNote(ctx, {
    action: 'trusted_device_removed',
    actorRole: admin.role,
    userId: id,
    traits: about,
  })
  const existed = await deleteTrustedDevice(ctx.sql, {
    userId: id,
    deviceId,
    messageRows: eventRows(ctx, id, [happened('trusted_device.removed', about)]),
    auditRows: note.rows,
  })
  if (!existed) throw trustedDeviceNotFound()
  note.log()
  tellEvents(ctx)
}
