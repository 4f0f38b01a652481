import { performAct } from '../../accounts/acts/record-act.ts'
import { settleSending } from '../../accounts/addresses/send-limits-of.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Caller } from '../../accounts/callers/authenticate-caller.ts'
import { storeChallenge } from '../../accounts/factors/challenges.sql.ts'
import { factorNotFound } from '../../accounts/factors/factor-errors.ts'
import { spendLimits } from '../../limits/spend-send-limits.sql.ts'
import { factorKinds } from '../../platform/factor-kinds/factor-kinds.ts'
import { factorKind } from './factor-kinds/factor-kinds.ts'
import { requireOwnFactor, requireVerifiable } from './own-factor.ts'
import type { FactorChallenge } from './second-factor.endpoint.ts'

/**
 * Starts the verification of a second factor. A phone receives a code, after the response; an app
 * generates codes itself. A security key is registered at the first verification and signs
 * afterwards, in this session only.
 *
 * @param channel of a message to a phone: `sms`, the default, or `whatsapp`.
 * @throws AuthError `no_authorization` (403) for an anonymous user, `insufficient_aal`,
 *   `reauthentication_needed` (403), `mfa_factor_not_found` (404), `validation_failed` (400, or 404
 *   for a malformed id), `mfa_…_verify_not_enabled` (422), and the errors of the kind.
 */
export async function challengeFactor(
  ctx: AuthContext,
  caller: Caller,
  factorId: string,
  channel?: string,
): Promise<FactorChallenge> {
  const factor = requireOwnFactor(caller, factorId)
  const factorType = requireVerifiable(ctx, caller, factor)
  const { user, session } = caller
  const id = ctx.random.uuid()
  const now = ctx.clock.now()
  const expiresAt = new Date(now.getTime() + ctx.config.mfa.challengeExpirySeconds * 1000)
  const request = { challengeId: id, user, factor, expiresAt, channel }
  const prepared = factorKind(factorType).prepareChallenge(ctx, request)
  const row = {
    id,
    factor_id: factor.id,
    code_hash: prepared.codeHash,
    challenge_hash: prepared.challengeHash,
    session_id: prepared.challengeHash === null ? null : (session?.id ?? null),
    attempts: 0,
    ip: ctx.request.ip,
    expires_at: expiresAt.toISOString(),
    created_at: now.toISOString(),
  }
  const traits = { factor_id: factor.id, factor_status: factor.status }
  const audit = { action: 'challenge_created', actorId: user.id, traits } as const
  const stored = await performAct(
    ctx,
    { audit, messages: prepared.messages },
    (rows) =>
      storeChallenge(ctx.sql, spendLimits(ctx, prepared.limits), row, {
        userId: user.id,
        ...rows,
      }),
    ({ allowed, found }) => allowed && found,
  )
  settleSending(ctx, stored, prepared.limits, factorKinds[factorType].carrier ?? 'sms')
  if (!stored.found) throw factorNotFound()
  return { id, factorType, expiresAt, webAuthn: prepared.ceremony?.(stored) ?? null }
}
