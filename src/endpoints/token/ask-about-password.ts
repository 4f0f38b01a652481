import { allRejected, event } from '../../accounts/acts/event-rows.ts'
import { performAct } from '../../accounts/acts/record-act.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { endUserSessions } from '../../accounts/lifecycle/end-user-sessions.sql.ts'
import type { SignInName } from '../../accounts/users/addresses.ts'
import type { User } from '../../accounts/users/user.ts'
import { passwordRejected } from '../../credentials/passwords/password-errors.ts'
import { askApplication, rejectionIn } from '../../delivery/hooks/ask-application.ts'
import type { AuthError } from '../../platform/errors/auth-error.ts'
import { deriveKey } from '../../platform/kit/derived-keys.ts'
import { uuidFromBytes } from '../../platform/kit/uuid.ts'

/** A password that was compared. */
interface ComparedPassword {
  name: SignInName
  /** The user who has the address or user name; null where none has it. */
  user: User | null
  isRight: boolean
}

const defaultMessage = 'Further password verification attempts will be rejected.'

/**
 * Tells the application of a password that somebody tried, where it wants to know; it may refuse it. It is asked about
 * an address that nobody has as well, under an id that stands for the address: neither the time that it takes nor
 * what it decides by counting attempts tells who has an account.
 *
 * @returns its refusal; null where it lets the attempt pass.
 * @throws AuthError what a hook throws that does not work.
 */
export async function askAboutPassword(
  ctx: AuthContext,
  { name, user, isRight }: ComparedPassword,
): Promise<AuthError | null> {
  if (!ctx.config.hooks.passwordVerificationAttempt.enabled) return null
  const userId = user?.id ?? decoyId(ctx, name)
  const said = await askApplication(ctx, 'passwordVerificationAttempt', {
    user_id: userId,
    valid: isRight,
  })
  const message = rejectionIn(said, defaultMessage)
  if (message === null) return null
  if (said?.['should_logout_user'] === true) await endSessions(ctx, userId)
  return passwordRejected(message)
}

/** The same for each attempt at an address, so that attempts can be counted, and no part of the address. */
function decoyId({ roots, request }: AuthContext, { kind, value }: SignInName): string {
  const subject = JSON.stringify([request.audience, kind, value])
  const bytes = deriveKey(roots.current, 'decoy-user', subject).subarray(0, 16)
  // As a random id has them. @see RFC 9562 §5.4
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return uuidFromBytes(bytes)
}

/** The same statement for an id that nobody has. */
async function endSessions(ctx: AuthContext, userId: string): Promise<void> {
  const traits = { reason: 'password_rejected' }
  const act = {
    audit: { action: 'logout', userId, traits },
    events: { userId, events: [event('session.ended', allRejected)] },
  } as const
  await performAct(ctx, act, (rows) => endUserSessions(ctx.sql, { userId, ...rows }), Boolean)
}
