import { auditNote } from '../../audit/audit-note.ts'
import type { AuthContext } from '../../deps.ts'
import { sha256Hex } from '../../kit/digest.ts'
import { proofBy } from '../../sessions/assurance.ts'
import type { SessionRow } from '../../sessions/session.ts'
import { sessionNotFound } from '../../sessions/session-errors.ts'
import type { Caller } from '../../steps/authenticate-caller.ts'
import { eventRows, happened, tellEvents } from '../../steps/event-rows.ts'
import { issueRaisedSession, type SignedIn } from '../../steps/issue-session.ts'
import { requireLiveSession } from '../../steps/require-live-session.ts'
import { trustedDeviceNotFound } from '../../trusted-devices/trusted-device-errors.ts'
import { useTrustedDevice } from '../../trusted-devices/use-trusted-device.sql.ts'
import { hasVerifiedFactor } from '../../users/user.ts'
import { requireTrustedDevices } from './require-trusted-devices.ts'

/** A session that rose by a trusted device, and what the device shows the next time. */
export interface TrustedSignIn extends SignedIn {
  secret: string
  /** When the device ends to be trusted; a use does not prolong it. */
  deviceExpiresAt: Date
}

/**
 * Takes a trusted device of the caller for a second factor: the session rises to `aal2` and gets new tokens, and those from
 * before renew nothing any more. It is no proof of a factor: what asks for one asks all the same.
 *
 * A secret that was used before is a copy, and ends the trust in its device.
 *
 * @throws AuthError `trusted_devices_disabled` (404), `session_not_found`, `session_expired` (403),
 *   `trusted_device_not_found` (404) for any secret that is not good, whatever the reason.
 */
export async function verifyTrustedDevice(
  ctx: AuthContext,
  caller: Caller,
  secret: string | null,
): Promise<TrustedSignIn> {
  requireTrustedDevices(ctx)
  const { user, session } = caller
  if (!session) throw sessionNotFound()
  requireLiveSession(ctx, caller)
  if (!secret || !hasVerifiedFactor(user)) throw trustedDeviceNotFound()

  const now = ctx.clock.now()
  const next = ctx.random.hex(32)
  const note = auditNote(ctx, { action: 'trusted_device_used', actorId: user.id })
  const reuse = auditNote(ctx, {
    action: 'trusted_device_removed',
    userId: user.id,
    traits: { reason: 'secret_reused' },
  })
  const used = await useTrustedDevice<SessionRow>(ctx.sql, {
    userId: user.id,
    sessionId: session.id,
    secretHash: sha256Hex(secret),
    nextHash: sha256Hex(next),
    proof: proofBy('trusted_device', now),
    now,
    auditRows: note.rows,
    reuseRows: reuse.rows,
    messageRows: eventRows(ctx, user.id, [happened('trusted_device.removed', { device_id: null })]),
  })
  if (!used.session) {
    if (used.wasReused) {
      reuse.log()
      tellEvents(ctx)
      ctx.request.decided({ kind: 'reuse', rule: 'trusted_device_secret' })
    }
    throw trustedDeviceNotFound()
  }
  note.log()
  const signedIn = await issueRaisedSession(ctx, user, used.session, 'trusted_device')
  return { ...signedIn, secret: next, deviceExpiresAt: used.expiresAt }
}
