import { allRejected, event } from '../../accounts/acts/event-rows.ts'
import { performAct } from '../../accounts/acts/record-act.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { endUserSessions } from '../../accounts/lifecycle/end-sessions.sql.ts'
import type { SignInName } from '../../accounts/users/addresses.ts'
import type { User } from '../../accounts/users/user.ts'
import { passwordRejected } from '../../credentials/passwords/password-errors.ts'
import { rejectionIn, requestDecision } from '../../delivery/hooks/request-decision.ts'
import type { AuthError } from '../../platform/errors/auth-error.ts'
import { deriveKey } from '../../platform/kit/derived-keys.ts'
import { uuidFromBytes } from '../../platform/kit/uuid.ts'

/** A password after its verification. */
interface ComparedPassword {
  name: SignInName
  /** The user with the address or user name; null without one. */
  user: User | null
  isRight: boolean
}

const defaultMessage = 'Further password verification attempts will be rejected.'

/**
 * Calls the application's hook, where there is one, for a verified password; the hook may reject
 * the attempt. It is also called for an unknown address, with a stable decoy id: neither the
 * response time, nor a decision of a hook that counts attempts, reveals whether an account exists.
 *
 * @returns the hook's rejection; null where it accepts the attempt.
 * @throws AuthError the errors of a failing hook.
 */
export async function requestPasswordDecision(
  ctx: AuthContext,
  { name, user, isRight }: ComparedPassword,
): Promise<AuthError | null> {
  if (!ctx.config.hooks.passwordVerificationAttempt.enabled) return null
  const userId = user?.id ?? decoyId(ctx, name)
  const output = await requestDecision(ctx, 'passwordVerificationAttempt', {
    user_id: userId,
    valid: isRight,
  })
  const message = rejectionIn(output, defaultMessage)
  if (message === null) return null
  if (output?.['should_logout_user'] === true) await endSessions(ctx, userId)
  return passwordRejected(message)
}

/**
 * Returns an id that is the same for each attempt at an address, for counting, and does not reveal
 * the address.
 */
function decoyId({ roots, request }: AuthContext, { kind, value }: SignInName): string {
  const subject = JSON.stringify([request.audience, kind, value])
  const bytes = deriveKey(roots.current, 'decoy-user', subject).subarray(0, 16)
  // The version and variant bits of a random id. @see RFC 9562 §5.4
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return uuidFromBytes(bytes)
}

/** Ends the sessions of the user. An unknown id costs the same statement. */
async function endSessions(ctx: AuthContext, userId: string): Promise<void> {
  const traits = { reason: 'password_rejected' }
  const act = {
    audit: { action: 'logout', userId, traits },
    events: { userId, events: [event('session.ended', allRejected)] },
  } as const
  await performAct(ctx, act, (rows) => endUserSessions(ctx.sql, { userId, ...rows }), Boolean)
}
