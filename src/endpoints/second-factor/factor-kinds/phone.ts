import { requireCarrier } from '../../../accounts/addresses/require-reachable.ts'
import type { AuthContext } from '../../../accounts/auth-context.ts'
import { hashChallengeCode, isChallengeCode } from '../../../accounts/factors/challenge-code.ts'
import { readPhone } from '../../../accounts/users/addresses.ts'
import type { User } from '../../../accounts/users/user.ts'
import { composeSms } from '../../../delivery/messages/compose-sms.ts'
import { outboxRows } from '../../../delivery/outbox/outbox-row.ts'
import { carrierCheck, readChannel } from '../../../delivery/sms/open-sms-carrier.ts'
import {
  factorInterval,
  factorLimits,
  type SendLimits,
  targetLimits,
  unlimited,
} from '../../../limits/send-limits.ts'
import { validationFailed } from '../../../platform/errors/request-errors.ts'
import { type CodeOutput, type FactorKind, readCode } from './factor-kind.ts'

/** A phone that receives codes by SMS or WhatsApp. */
export const phone: FactorKind<CodeOutput> = {
  readPhone: ({ phone: given }) => {
    if (!given) throw validationFailed('phone: Phone number required to enroll Phone factor')
    return readPhone(given).value
  },
  isSameAuthenticator: (factor, { phone: given }) => factor.phone === given,
  recipientOf: (_user, factor) => factor.phone,
  prepareChallenge: (ctx, { challengeId, user, factor, expiresAt, channel: requested }) => {
    const to = factor.phone ?? ''
    const channel = readChannel(ctx.config, requested || undefined)
    requireCarrier(ctx, to)
    const code = ctx.random.digits(ctx.config.mfa.phone.otpLength)
    const sms = composeSms(ctx, 'mfa', user, { to, code, expiresAt, channel })
    return {
      codeHash: hashChallengeCode(ctx.roots.current, { id: challengeId, recipient: to }, code),
      challengeHash: null,
      messages: outboxRows(ctx, [sms]),
      limits: limitsOf(ctx, user, factor.status === 'verified' ? null : to),
    }
  },
  readOutput: readCode,
  verify: async (ctx, { factor, output, counted: { challenge } }) => {
    const to = factor.phone ?? ''
    const check = carrierCheck(ctx)
    const isCorrect = check
      ? await check(to, output.code)
      : isChallengeCode(ctx.roots, { ...challenge, recipient: to }, output.code)
    if (!isCorrect) return null
    ctx.smsTraffic.noteVerified(to)
    return { factorId: factor.id, change: null }
  },
}

/**
 * The interval belongs to the user and the client, not to the factor, so enrolling one number after
 * the other does not shorten it. A number that is not verified shares the limit of all messages to
 * that number.
 *
 * @param unverified the number, unless the factor is verified.
 */
function limitsOf(
  { config, mailboxTakes, request }: AuthContext,
  { id }: User,
  unverified: string | null,
): SendLimits {
  if (mailboxTakes.phone) return unlimited
  const target = unverified === null ? null : targetLimits(config, 'sms', unverified).interval
  const { maxFrequencySeconds: seconds } = config.mfa.phone
  const client = request.clientKey()
  const own = factorInterval('sms', id, seconds, client)
  const ofNumber = target?.shared && { ...target.shared, network: own?.shared?.network ?? null }
  const interval = own && { ...own, shared: ofNumber ?? own.shared }
  return factorLimits(config, 'sms', { interval, isVerified: unverified === null }, client)
}
