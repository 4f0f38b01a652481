import type { AuthContext } from '../../deps.ts'
import { AuthError } from '../../errors/auth-error.ts'
import { validationFailed } from '../../errors/request-errors.ts'
import type { Unread } from '../../http/endpoint.ts'
import { readCodeChallenge } from '../../one-time-tokens/code-challenge.ts'
import { allowedRedirect } from '../../redirects/allowed-redirect.ts'
import { findRecipient } from '../../steps/find-recipient.ts'
import { decoyUser } from '../../steps/newcomer.ts'
import { storeMessageRequest } from '../../steps/store-message-request.ts'
import { mailToken } from '../../steps/token-message.ts'
import { readEmail } from '../../users/addresses.ts'
import type { ResetPasswordInput } from './recover.endpoint.ts'

/**
 * Mails a link that signs in a user who forgot the password. Does nothing when nobody has the address,
 * and the answer does not tell.
 *
 * @throws AuthError `email_provider_disabled`, `validation_failed` (400), and what `findRecipient`
 *   throws.
 */
export async function requestRecovery(
  ctx: AuthContext,
  input: Unread<ResetPasswordInput>,
): Promise<void> {
  if (!ctx.config.email.enabled) {
    throw new AuthError('email_provider_disabled', 400, 'Email logins are disabled')
  }
  if (!input.email) throw validationFailed('email: Password recovery requires an email')
  const to = readEmail(input.email)
  const codeChallenge = readCodeChallenge(input)
  const redirectTo = allowedRedirect(ctx, input.redirect ?? {})

  const found = await findRecipient(ctx, 'sign-in', to)
  const token = { to, purpose: 'recovery', requestedBy: 'recover', codeChallenge } as const
  // Where nobody has the address a mail is made all the same, so that it takes as long. It is not stored.
  const user = found?.user ?? decoyUser(ctx, to)
  await storeMessageRequest(ctx, {
    userId: found?.user.id ?? null,
    asks: 'recover',
    stamps: { recovery_sent_at: ctx.clock.now().toISOString() },
    message: mailToken(ctx, 'recovery', { user, ...token }, redirectTo),
    audit: { action: 'user_recovery_requested', actorId: found?.user.id ?? null },
  })
}
