import { findRecipient } from '../../accounts/addresses/find-recipient.ts'
import { requestAddress } from '../../accounts/addresses/request-address.ts'
import { requireProvider } from '../../accounts/addresses/require-reachable.ts'
import { sendLimitsOf } from '../../accounts/addresses/send-limits-of.ts'
import { storeMessageRequest } from '../../accounts/addresses/store-message-request.ts'
import { mailToken } from '../../accounts/addresses/token-message.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { decoyUser } from '../../accounts/lifecycle/new-user-with-address.ts'
import { readCodeChallenge } from '../../accounts/one-time-tokens/code-challenge.ts'
import { readEmail } from '../../accounts/users/addresses.ts'
import { allowedRedirect } from '../../limits/redirects/allowed-redirect.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import type { Unvalidated } from '../http/endpoint.ts'
import type { ResetPasswordInput } from './recover.endpoint.ts'

/**
 * Mails a link that signs in a user who lost the password. Sends nothing to an unknown address,
 * with the same response.
 *
 * @throws AuthError `email_provider_disabled`, `validation_failed` (400), and the errors of
 *   `findRecipient`.
 */
export const requestRecovery = (
  ctx: AuthContext,
  input: Unvalidated<ResetPasswordInput>,
): Promise<void> =>
  ctx.responseTimes.conceal('recover', (noteUser) => sendRecovery(ctx, input, noteUser))

async function sendRecovery(
  ctx: AuthContext,
  input: Unvalidated<ResetPasswordInput>,
  noteUser: (hasUser: boolean) => void,
): Promise<void> {
  requireProvider(ctx, 'email', 'message')
  if (!input.email) throw validationFailed('email: Password recovery requires an email')
  const to = readEmail(input.email)
  const codeChallenge = readCodeChallenge(input)
  const redirectTo = allowedRedirect(ctx, input.redirect ?? {})

  const found = await findRecipient(ctx, { address: to, by: 'recover', slot: 'sign-in' })
  noteUser(found !== null)
  const requested = requestAddress(ctx, to, 'recover')
  const purpose = { purpose: 'recovery', requestedBy: 'recover' } as const
  const token = { to: requested, ...purpose, codeChallenge }
  // For an unknown address, a mail is built but not stored, so that the response takes as long.
  const user = found?.user ?? decoyUser(ctx, to)
  await storeMessageRequest(ctx, {
    userId: found?.user.id ?? null,
    stamps: { recovery_sent_at: ctx.clock.now().toISOString() },
    message: mailToken(ctx, 'recovery', { user, ...token }, redirectTo),
    counted: sendLimitsOf(ctx, 'sign-in', to),
    audit: {
      action: 'user_recovery_requested',
      ...(found ? { actorId: found.user.id } : { unknownAddress: to.value }),
    },
  })
}
