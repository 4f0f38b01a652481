import { auditNote } from '../../audit/audit-note.ts'
import type { AuthContext } from '../../deps.ts'
import { factorNotFound } from '../../factors/factor-errors.ts'
import { hashPhoneCode } from '../../factors/phone-code.ts'
import { type StoredChallenge, storeChallenge } from '../../factors/store-challenge.sql.ts'
import { factorIntervalKey } from '../../limits/factor-limits.ts'
import { factorLimits, type SendLimits, targetLimits, unlimited } from '../../limits/send-limits.ts'
import { spendLimits } from '../../limits/spend-send-limits.sql.ts'
import type { Rows } from '../../sql/tables.ts'
import { rowsOf } from '../../sql/tables.ts'
import type { Caller } from '../../steps/authenticate-caller.ts'
import { composeSms } from '../../steps/compose-sms.ts'
import { credentialHolder } from '../../steps/credential-holder.ts'
import { outboxRows } from '../../steps/outbox-rows.ts'
import { readChannel } from '../../steps/read-channel.ts'
import { requireCarrier } from '../../steps/require-reachable.ts'
import { settleSending } from '../../steps/settle-sending.ts'
import type { Factor, User } from '../../users/user.ts'
import { keyCreationOptions, keyRequestOptions } from '../../webauthn/ceremony-options.ts'
import { hashChallenge, newChallenge } from '../../webauthn/challenge.ts'
import { phoneOf, requireOwnFactor, requireProvable } from './own-factor.ts'
import type { FactorChallenge, KeyCeremony } from './second-factor.endpoint.ts'

/**
 * Begins to prove a second factor. A phone is sent a code, in the background; who has an app has one. A security key
 * is registered at the first time, and asked for from then on, in this session alone.
 *
 * @param channel how a phone is reached: `sms`, the default, or `whatsapp`.
 * @throws AuthError `no_authorization` (403) for an anonymous visitor, `insufficient_aal` (403), `mfa_factor_not_found` (404),
 *   `mfa_totp_verify_not_enabled`, `mfa_phone_verify_not_enabled`, `mfa_webauthn_verify_not_enabled`,
 *   `sms_send_failed` (422), `validation_failed` (400, or 404 for a malformed id),
 *   `over_sms_send_rate_limit` (429).
 */
export async function challengeFactor(
  ctx: AuthContext,
  caller: Caller,
  factorId: string,
  channel?: string,
): Promise<FactorChallenge> {
  const factor = requireOwnFactor(caller, factorId)
  requireProvable(ctx.config, caller, factor)
  const id = ctx.random.uuid()
  const now = ctx.clock.now()
  const expiresAt = new Date(now.getTime() + ctx.config.mfa.challengeExpirySeconds * 1000)
  const phone = phoneOf(factor)
  const { codeHash, messageRows, limits } =
    phone === null
      ? nothingToSend
      : codeFor(ctx, caller.user, {
          challengeId: id,
          phone,
          expiresAt,
          channel,
          isProved: factor.status === 'verified',
        })
  const challenge = factor.factorType === 'webauthn' ? newChallenge(ctx.random) : null
  const traits = { factor_id: factor.id, factor_status: factor.status }
  const note = auditNote(ctx, { action: 'challenge_created', actorId: caller.user.id, traits })
  const spent = await storeChallenge(
    ctx.sql,
    spendLimits(limits, now),
    {
      id,
      factor_id: factor.id,
      code_hash: codeHash,
      ...(challenge !== null && {
        challenge_hash: hashChallenge(challenge),
        session_id: caller.session?.id ?? null,
      }),
      attempts: 0,
      ip: ctx.request.ip,
      expires_at: expiresAt.toISOString(),
      created_at: now.toISOString(),
    },
    { userId: caller.user.id, messageRows, auditRows: note.rows },
  )
  settleSending(ctx, spent, limits, 'sms')
  if (!spent.found) throw factorNotFound()
  note.log()
  if (phone !== null) ctx.outbox.wake()
  const webAuthn =
    challenge === null ? null : ceremonyOf(ctx, caller.user, factor, challenge, spent)
  return { id, factorType: factor.factorType, expiresAt, webAuthn }
}

/** Whoever has several keys shows the one that is at hand. */
function ceremonyOf(
  { config }: AuthContext,
  user: User,
  { status }: Factor,
  challenge: string,
  { credentials: known }: StoredChallenge,
): KeyCeremony {
  if (status === 'verified') {
    return { type: 'request', options: keyRequestOptions(config.webAuthn, challenge, known) }
  }
  const creation = { challenge, user: credentialHolder(user), known }
  return { type: 'create', options: keyCreationOptions(config.webAuthn, creation) }
}

/** What a challenge sends, and what that is counted against. */
interface Delivery {
  codeHash: string | null
  messageRows: Rows<'outbox_messages'>
  limits: SendLimits
}

/** Who has an app has a code. */
const nothingToSend: Delivery = {
  codeHash: null,
  messageRows: rowsOf('outbox_messages'),
  limits: unlimited,
}

interface PhoneOfChallenge {
  challengeId: string
  phone: string
  expiresAt: Date
  channel: string | undefined
  isProved: boolean
}

/** A code for a phone. */
function codeFor(
  ctx: AuthContext,
  user: User,
  { challengeId, phone, expiresAt, channel: wish, isProved }: PhoneOfChallenge,
): Delivery {
  const channel = readChannel(ctx.config, wish || undefined)
  requireCarrier(ctx, phone)
  const code = ctx.random.digits(ctx.config.mfa.phone.otpLength)
  const sms = composeSms(ctx, 'mfa', user, { to: phone, code, expiresAt, channel })
  return {
    codeHash: hashPhoneCode(ctx.roots.current, { id: challengeId, phone }, code),
    messageRows: rowsOf('outbox_messages', ...outboxRows(ctx, [sms])),
    limits: limitsOf(ctx, user, isProved ? null : phone),
  }
}

/**
 * The interval is the user's, not the factor's: who enrolls one number after the other waits as well. A number that
 * may be anybody's counts among what all have sent there; one that was proved is kept waiting by nobody else.
 */
function limitsOf(
  { config, mailboxTakes, request }: AuthContext,
  { id }: User,
  unproved: string | null,
): SendLimits {
  if (mailboxTakes.phone) return unlimited
  const target = unproved === null ? null : targetLimits(config, 'sms', unproved).interval
  const { maxFrequencySeconds: seconds } = config.mfa.phone
  const interval = { key: factorIntervalKey(id), seconds, together: target?.together ?? null }
  return factorLimits(config, seconds > 0 ? interval : null, request.clientKey())
}
