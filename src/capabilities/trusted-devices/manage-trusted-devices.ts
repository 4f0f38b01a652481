import { event } from '../../accounts/acts/event-rows.ts'
import { performAct } from '../../accounts/acts/record-act.ts'
import type { AuditEvent } from '../../accounts/audit/audit-row.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Admin } from '../../accounts/callers/authenticate-admin.ts'
import type { Caller } from '../../accounts/callers/authenticate-caller.ts'
import { requireUserById } from '../../endpoints/admin-users/find-user.ts'
import { isUuid } from '../../platform/kit/uuid.ts'
import type { TrustedDevice } from './trusted-device.ts'
import { requireTrustedDevices, trustedDeviceNotFound } from './trusted-device-errors.ts'
import { deleteTrustedDevice, findTrustedDevices } from './trusted-devices.sql.ts'

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
  await endTrust(ctx, { userId: user.id, deviceId }, { actorId: user.id })
}

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
  await endTrust(ctx, { userId: id, deviceId }, { actorRole: admin.role, userId: id })
}

async function endTrust(
  ctx: AuthContext,
  { userId, deviceId }: { userId: string; deviceId: string },
  by: Pick<AuditEvent, 'actorId' | 'actorRole' | 'userId'>,
): Promise<void> {
  if (!isUuid(deviceId)) throw trustedDeviceNotFound()
  const about = { device_id: deviceId.toLowerCase() }
  const act = {
    audit: { action: 'trusted_device_removed', ...by, traits: about },
    events: { userId, events: [event('trusted_device.removed', about)] },
  } as const
  const existed = await performAct(ctx, act, (rows) =>
    deleteTrustedDevice(ctx.sql, { userId, deviceId, ...rows }),
  )
  if (!existed) throw trustedDeviceNotFound()
}
