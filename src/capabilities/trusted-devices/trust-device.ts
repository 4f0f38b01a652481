import { notice } from '../../accounts/acts/change-notices.ts'
import { event } from '../../accounts/acts/event-rows.ts'
import { performAct } from '../../accounts/acts/record-act.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Caller } from '../../accounts/callers/authenticate-caller.ts'
import { requireRecentProof } from '../../accounts/callers/recent-proof.ts'
import { withLockedCaller } from '../../accounts/callers/with-locked-user.ts'
import { factorNotFound } from '../../accounts/factors/factor-errors.ts'
import { proofOfFactorNeeded } from '../../accounts/sessions/session-errors.ts'
import { hasVerifiedFactor } from '../../accounts/users/user.ts'
import { sha256Hex } from '../../platform/kit/digest.ts'
import type { NewTrustedDevice, TrustedDevice } from './trusted-device.ts'
import { requireTrustedDevices } from './trusted-device-errors.ts'
import { insertTrustedDevice } from './trusted-devices.sql.ts'

/**
 * Trusts the device on which the caller has just used a second factor. A session that was stolen
 * later, or that a trusted device raised, cannot trust another device.
 *
 * @throws AuthError `trusted_devices_disabled`, `mfa_factor_not_found` (404) for a user without a
 *   second factor, `insufficient_aal` (403) where the session has not used it,
 *   `reauthentication_needed` (403) where the use is more than 5 minutes old.
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
  await withLockedCaller(ctx, caller, async (tx, current) => {
    requireFreshFactor(tx, current)
    const userId = current.user.id
    const about = { device_id: device.id }
    const act = {
      audit: { action: 'trusted_device_added', actorId: userId, traits: about },
      events: { userId, events: [event('trusted_device.added', about)] },
      notices: notice(tx, { kind: 'trustedDeviceAdded', user: current.user }),
    } as const
    await performAct(tx, act, (rows) =>
      insertTrustedDevice(tx.sql, rowOf(device, userId, secret), rows),
    )
  })
  return { ...device, secret }
}

/** The maximum age of the proof: the time that users need to accept the offer. */
const freshSeconds = 300

function requireFreshFactor(ctx: AuthContext, caller: Caller): void {
  if (!hasVerifiedFactor(caller.user)) throw factorNotFound()
  requireRecentProof(ctx, caller, {
    insufficientAal: () => proofOfFactorNeeded(true),
    withinSeconds: Math.min(freshSeconds, ctx.config.security.recentProofSeconds || freshSeconds),
  })
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
