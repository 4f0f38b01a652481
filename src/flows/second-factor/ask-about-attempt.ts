import { auditNote } from '../../audit/audit-note.ts'
import type { MfaVerificationPayload } from '../../config/sections/hooks.ts'
import type { AuthContext } from '../../deps.ts'
import { verificationRejected } from '../../factors/factor-errors.ts'
import { askApplication, rejectionIn } from '../../steps/ask-application.ts'
import { allRejected, rowsOfEnd, tellEvents } from '../../steps/event-rows.ts'
import { endUserSessions } from '../../users/end-user-sessions.sql.ts'
import type { Factor, User } from '../../users/user.ts'

const defaultMessage = 'Further MFA verification attempts will be rejected.'

/**
 * Tells the application of an attempt to prove a factor, right or wrong, where it wants to know. It may
 * put an end to attempts; then all sessions of the user end.
 *
 * @throws AuthError `mfa_verification_rejected` (403), and what the hook throws.
 */
export async function askAboutAttempt(
  ctx: AuthContext,
  { id: userId }: User,
  { id: factorId, factorType }: Factor,
  valid: boolean,
): Promise<void> {
  const attempt = { user_id: userId, factor_id: factorId, factor_type: factorType, valid }
  const said = await askApplication(
    ctx,
    'mfaVerificationAttempt',
    attempt satisfies Omit<MfaVerificationPayload, 'metadata'>,
  )
  const message = rejectionIn(said, defaultMessage)
  if (message === null) return
  const traits = { factor_id: factorId, reason: 'mfa_verification_rejected' }
  const note = auditNote(ctx, { action: 'logout', userId, traits })
  const messageRows = rowsOfEnd(ctx, userId, allRejected)
  if (await endUserSessions(ctx.sql, { userId, messageRows, auditRows: note.rows })) {
    note.log()
    tellEvents(ctx)
  }
  throw verificationRejected(message)
}
