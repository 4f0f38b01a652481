import { auditNote } from '../../audit/audit-note.ts'
import type { AuthContext } from '../../deps.ts'
import { factorNotFound } from '../../factors/factor-errors.ts'
import { sha256Hex } from '../../kit/digest.ts'
import { isSecondFactor, newestProof } from '../../sessions/assurance.ts'
import { newerProofNeeded, proofOfFactorNeeded } from '../../sessions/session-errors.ts'
import { joinRows, rowsOf } from '../../sql/tables.ts'
import {
  type Caller,
  hasShownSecondFactor,
  requireCaller,
} from '../../steps/authenticate-caller.ts'
import { trustedDeviceNotice } from '../../steps/change-notices.ts'
import { eventRows, happened, tellEvents } from '../../steps/event-rows.ts'
import { outboxRows } from '../../steps/outbox-rows.ts'
import { withLockedUser } from '../../steps/with-locked-user.ts'
import { insertTrustedDevice } from '../../trusted-devices/insert-trusted-device.sql.ts'
import type { NewTrustedDevice, TrustedDevice } from '../../trusted-devices/trusted-device.ts'
import { hasVerifiedFactor } from '../../users/user.ts'
import { requireTrustedDevices } from './require-trusted-devices.ts'

/**
 * Trusts the device that the caller has just shown a second factor on. A session that was stolen later, or that rose by a
 * trusted device, makes no other one.
 *
 * @throws AuthError `trusted_devices_disabled`, `mfa_factor_not_found` (404) for somebody without a second factor,
 *   `insufficient_aal` (403) where it was not shown, `reauthentication_needed` (403) where that is longer ago than 5 minutes.
 */
export async function trustDevice(ctx: AuthContext, caller: Caller): Promise<NewTrustedDevice> {
  requireTrustedDevices(ctx)
  requireFreshFactor(ctx, caller)
  const createdAt = ctx.clock.now()
  const { expirySeconds } = ctx.config.mfa.trustedDevices
  const device: TrustedDevice = {
    id: ctx.random.uuid(),
    userAgent: ctx.request.userAgent,
    createdAt,
    lastUsedAt: createdAt,
    expiresAt: new Date(createdAt.getTime() + expirySeconds * 1000),
  }
  const secret = ctx.random.hex(32)
  const note = auditNote(ctx, {
    action: 'trusted_device_added',
    actorId: caller.user.id,
    traits: { device_id: device.id },
  })
  const isTold = await withLockedUser(ctx, caller.user.id, async (tx) => {
    const current = await requireCaller(tx, caller.claims)
    requireFreshFactor(tx, current)
    const notices = trustedDeviceNotice(tx, current.user)
    const added = happened('trusted_device.added', { device_id: device.id })
    await insertTrustedDevice(tx.sql, rowOf(device, current.user.id, secret), {
      messageRows: joinRows(
        rowsOf('outbox_messages', ...outboxRows(tx, notices)),
        eventRows(tx, current.user.id, [added]),
      ),
      auditRows: note.rows,
    })
    return notices.length > 0
  })
  note.log()
  if (isTold) ctx.outbox.wake()
  tellEvents(ctx)
  return { ...device, secret }
}

/** How old the proof may be: what people take to say yes. */
const freshSeconds = 300

function requireFreshFactor({ clock }: AuthContext, caller: Caller): void {
  if (!hasVerifiedFactor(caller.user)) throw factorNotFound()
  if (!hasShownSecondFactor(caller)) throw proofOfFactorNeeded(true)
  const provedAt = newestProof(caller.claims.amr, isSecondFactor) ?? 0
  if (provedAt < clock.now().getTime() / 1000 - freshSeconds) throw newerProofNeeded()
}

const rowOf = (device: TrustedDevice, userId: string, secret: string) => ({
  id: device.id,
  user_id: userId,
  secret_hash: sha256Hex(secret),
  user_agent: device.userAgent,
  created_at: device.createdAt.toISOString(),
  last_used_at: device.lastUsedAt.toISOString(),
  expires_at: device.expiresAt.toISOString(),
})
