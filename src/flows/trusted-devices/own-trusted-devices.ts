import { auditNote } from '../../audit/audit-note.ts'
import type { AuthContext } from '../../deps.ts'
import { isUuid } from '../../kit/uuid.ts'
import type { Caller } from '../../steps/authenticate-caller.ts'
import { eventRows, happened, tellEvents } from '../../steps/event-rows.ts'
import { deleteTrustedDevice } from '../../trusted-devices/delete-trusted-device.sql.ts'
import { findTrustedDevices } from '../../trusted-devices/find-trusted-devices.sql.ts'
import type { TrustedDevice } from '../../trusted-devices/trusted-device.ts'
import { trustedDeviceNotFound } from '../../trusted-devices/trusted-device-errors.ts'
import { requireTrustedDevices } from './require-trusted-devices.ts'

/**
 * The caller's trusted devices, the oldest first.
 *
 * @throws AuthError `trusted_devices_disabled` (404).
 */
export async function listOwnTrustedDevices(
  ctx: AuthContext,
  { user }: Caller,
): Promise<TrustedDevice[]> {
  requireTrustedDevices(ctx)
  return findTrustedDevices(ctx.sql, { userId: user.id, now: ctx.clock.now() })
}

/**
 * Ends the trust in one of the caller's devices, in any session: to trust less asks for no second factor.
 *
 * @throws AuthError `trusted_devices_disabled`, `trusted_device_not_found` (404).
 */
export async function deleteOwnTrustedDevice(
  ctx: AuthContext,
  { user }: Caller,
  deviceId: string,
): Promise<void> {
  requireTrustedDevices(ctx)
  if (!isUuid(deviceId)) throw trustedDeviceNotFound()
  const about = { device_id: deviceId.toLowerCase() }
  const note = auditNote(ctx, {
    action: 'trusted_device_removed',
    actorId: user.id,
    traits: about,
  })
  const existed = await deleteTrustedDevice(ctx.sql, {
    userId: user.id,
    deviceId,
    messageRows: eventRows(ctx, user.id, [happened('trusted_device.removed', about)]),
    auditRows: note.rows,
  })
  if (!existed) throw trustedDeviceNotFound()
  note.log()
  tellEvents(ctx)
}
