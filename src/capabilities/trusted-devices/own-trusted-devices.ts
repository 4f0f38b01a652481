import { event } from '../../accounts/acts/event-rows.ts'
import { performAct } from '../../accounts/acts/record-act.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Caller } from '../../accounts/callers/authenticate-caller.ts'
import { isUuid } from '../../platform/kit/uuid.ts'
import { deleteTrustedDevice } from './delete-trusted-device.sql.ts'
import { findTrustedDevices } from './find-trusted-devices.sql.ts'
import { requireTrustedDevices } from './require-trusted-devices.ts'
import type { TrustedDevice } from './trusted-device.ts'
import { trustedDeviceNotFound } from './trusted-device-errors.ts'

/**
 * Returns the caller's trusted devices, the oldest first.
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
 * Ends the trust in one of the caller's devices. Any session may do so without a second factor,
 * since it only lowers trust.
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
  const act = {
    audit: { action: 'trusted_device_removed', actorId: user.id, traits: about },
    events: { userId: user.id, events: [event('trusted_device.removed', about)] },
  } as const
  const existed = await performAct(ctx, act, (rows) =>
    deleteTrustedDevice(ctx.sql, { userId: user.id, deviceId, ...rows }),
  )
  if (!existed) throw trustedDeviceNotFound()
}
