import { requireReachable } from '../../../accounts/addresses/require-reachable.ts'
import type { AuthContext } from '../../../accounts/auth-context.ts'
import { hashChallengeCode, isChallengeCode } from '../../../accounts/factors/challenge-code.ts'
import { verifyNotEnabled } from '../../../accounts/factors/factor-errors.ts'
import { isApartFromMail } from '../../../accounts/sessions/assurance.ts'
import { sessionNotFound } from '../../../accounts/sessions/session-errors.ts'
import type { Factor, User } from '../../../accounts/users/user.ts'
import { addressNotConfirmed } from '../../../accounts/users/user-errors.ts'
import { composeMail } from '../../../delivery/messages/compose-mail.ts'
import { outboxRows } from '../../../delivery/outbox/outbox-row.ts'
import {
  factorInterval,
  factorLimits,
  type SendLimits,
  unlimited,
} from '../../../limits/send-limits.ts'
import { AuthError } from '../../../platform/errors/auth-error.ts'
import { type CodeOutput, type FactorKind, readCode } from './factor-kind.ts'

/**
 * Codes by mail to the confirmed address of the account. The factor stores no address: after a
 * change of address, which requires a factor, codes are sent to the new one. A code is bound to the
 * address that it was sent to.
 *
 * Control of the mailbox alone must not open the account. A session whose first factor the mailbox
 * may have provided therefore cannot use this factor, whatever the spelling of the address.
 *
 * @see NIST SP 800-63B §5.1.3
 */
export const email: FactorKind<CodeOutput> = {
  requireUsable: ({ carriers, config }, { user, session }) => {
    if (!session) throw sessionNotFound()
    if (confirmedAddress(user) === null) throw addressNotConfirmed('email')
    if (!isApartFromMail(session.amr)) throw notIndependent()
    const carrier = config.hooks.sendEmail.enabled ? carriers.email_hook : carriers.email
    if (!carrier) throw verifyNotEnabled('email')
  },
  // An account has one address.
  isSameAuthenticator: () => true,
  recipientOf: confirmedAddress,
  prepareChallenge: (ctx, { challengeId, user, factor, expiresAt }) => {
    const to = confirmedAddress(user) ?? ''
    requireReachable(ctx, { kind: 'email', value: to })
    const code = ctx.random.digits(ctx.config.email.otpLength)
    const mail = composeMail(ctx, {
      kind: 'mfaCode',
      user,
      to,
      expiresAt,
      variables: { Token: code },
      hookData: { email_action_type: 'mfa_code', token: code },
    })
    return {
      codeHash: hashChallengeCode(ctx.roots.current, { id: challengeId, recipient: to }, code),
      challengeHash: null,
      messages: outboxRows(ctx, [mail]),
      limits: limitsOf(ctx, user, factor),
    }
  },
  readOutput: readCode,
  verify: async ({ roots }, { user, factor, output, counted: { challenge } }) => {
    const recipient = confirmedAddress(user)
    if (recipient === null) return null
    const isCorrect = isChallengeCode(roots, { ...challenge, recipient }, output.code)
    return isCorrect ? { factorId: factor.id, change: null } : null
  },
}

/** The address that receives codes; null while no address of the account is confirmed. */
function confirmedAddress({ email: address, emailConfirmedAt }: User): string | null {
  return emailConfirmedAt === null ? null : address
}

/** The interval between mails of one kind, where none is configured. */
const defaultIntervalSeconds = 60

function limitsOf(
  { config, mailboxTakes, request }: AuthContext,
  { id }: User,
  { status }: Pick<Factor, 'status'>,
): SendLimits {
  if (mailboxTakes.email) return unlimited
  const seconds = config.email.maxFrequencySeconds ?? defaultIntervalSeconds
  const client = request.clientKey()
  const interval = factorInterval('email', id, seconds, client)
  return factorLimits(config, 'email', { interval, isVerified: status === 'verified' }, client)
}

const notIndependent = (): AuthError =>
  new AuthError(
    'mfa_email_not_independent',
    422,
    'Codes by email are no second factor after a link or code by email, or a sign-in with a provider',
    { stepUp: 'sign_in' },
  )
