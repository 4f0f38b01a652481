import { event } from '../../accounts/acts/event-rows.ts'
import { type Act, performActs } from '../../accounts/acts/record-act.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Caller } from '../../accounts/callers/authenticate-caller.ts'
import { proofBy } from '../../accounts/sessions/assurance.ts'
import type { SessionRow } from '../../accounts/sessions/session.ts'
import { sessionNotFound } from '../../accounts/sessions/session-errors.ts'
import { type IssuedSession, issueRaisedSession } from '../../accounts/sign-in/issue-session.ts'
import { hasVerifiedFactor } from '../../accounts/users/user.ts'
import { sha256Hex } from '../../platform/kit/digest.ts'
import { requireTrustedDevices, trustedDeviceNotFound } from './trusted-device-errors.ts'
import { useTrustedDevice } from './use-trusted-device.sql.ts'

/** A session that a trusted device raised, and the next secret of the device. */
export interface TrustedSignIn extends IssuedSession {
  secret: string
  /** The expiry of the trust; a use does not extend it. */
  deviceExpiresAt: Date
}

/**
 * Uses a trusted device of the caller in place of a second factor: the session rises to `aal2` and
 * gets new tokens, which replace the earlier ones. This is no proof of a factor: operations that
 * require one still require it.
 *
 * A secret that was used before is a copy, and ends the trust in its device.
 *
 * @throws AuthError `trusted_devices_disabled` (404), `session_not_found`, `session_expired` (403),
 *   `trusted_device_not_found` (404) for any invalid secret, whatever the reason.
 */
export async function verifyTrustedDevice(
  ctx: AuthContext,
  caller: Caller,
  secret: string | null,
): Promise<TrustedSignIn> {
  requireTrustedDevices(ctx)
  const { user, session } = caller
  if (!session) throw sessionNotFound()
  if (!secret || !hasVerifiedFactor(user)) throw trustedDeviceNotFound()

  const now = ctx.clock.now()
  const next = ctx.random.hex(32)
  const used = await performActs(
    ctx,
    { use: useBy(user.id), reuse: reuseOf(user.id) },
    ({ use, reuse }) =>
      useTrustedDevice<SessionRow>(ctx.sql, {
        userId: user.id,
        sessionId: session.id,
        secretHash: sha256Hex(secret),
        nextHash: sha256Hex(next),
        proof: proofBy('trusted_device', now),
        now,
        auditRows: use.auditRows,
        reuseRows: reuse.auditRows,
        messageRows: reuse.messageRows,
      }),
    (result) => (result.session ? { use: true } : { reuse: result.wasReused }),
  )
  if (!used.session) throw trustedDeviceNotFound()
  const signedIn = await issueRaisedSession(ctx, user, used.session, 'trusted_device')
  return { ...signedIn, secret: next, deviceExpiresAt: used.expiresAt }
}

const useBy = (userId: string): Act => ({
  audit: { action: 'trusted_device_used', actorId: userId },
})

const reuseOf = (userId: string): Act => ({
  audit: { action: 'trusted_device_removed', userId, traits: { reason: 'secret_reused' } },
  events: { userId, events: [event('trusted_device.removed', { device_id: null })] },
  decision: { kind: 'reuse', rule: 'trusted_device_secret' },
})
