import { type AuditNote, auditNote } from '../../audit/audit-note.ts'
import type { AuthContext } from '../../deps.ts'
import {
  factorNameConflict,
  tooManyFactors,
  verifiedFactorExists,
} from '../../factors/factor-errors.ts'
import { sealFactorSecret } from '../../factors/factor-secret.ts'
import { insertFactor } from '../../factors/insert-factor.sql.ts'
import { newTotpSecret, totpQrCode, totpUri } from '../../factors/totp.ts'
import type { Unread } from '../../http/endpoint.ts'
import { strongSessionNeededToEnroll } from '../../sessions/session-errors.ts'
import { type Caller, needsStepUp, requireCaller } from '../../steps/authenticate-caller.ts'
import { withLockedUser } from '../../steps/with-locked-user.ts'
import { type Factor, isRecoveryCodes, type User } from '../../users/user.ts'
import type { EnrolledFactor, TotpEnrollment } from './enrolled-factor.ts'
import { requireRegistered, requireSessionId } from './own-factor.ts'
import { type Enrollment, readEnrollment } from './read-enrollment.ts'
import type { EnrollFactorInput } from './second-factor.endpoint.ts'

/**
 * Begins to enroll a second factor. It counts once a challenge to it is answered.
 *
 * @throws AuthError `session_not_found` (403) for a token without a session, `no_authorization` (403) for
 *   an anonymous visitor, `validation_failed` (400), `mfa_totp_enroll_not_enabled`,
 *   `mfa_phone_enroll_not_enabled`, `mfa_webauthn_enroll_not_enabled`, `mfa_verified_factor_exists`,
 *   `mfa_factor_name_conflict`, `too_many_enrolled_mfa_factors` (422), `insufficient_aal` (403).
 */
export async function enrollFactor(
  ctx: AuthContext,
  caller: Caller,
  input: Unread<EnrollFactorInput>,
): Promise<EnrolledFactor> {
  requireRegistered(caller)
  requireSessionId(caller)
  const enrollment = readEnrollment(ctx.config, input)
  const id = ctx.random.uuid()
  const secret = enrollment.factorType === 'totp' ? newTotpSecret(ctx.random) : null
  // One enrollment at a time, and none in a session that ends meanwhile: all is looked at under the lock.
  const note = await withLockedUser(ctx, caller.user.id, async (tx) =>
    store(tx, await requireCaller(tx, caller.claims), enrollment, { id, secret }),
  )
  note.log()
  const { factorType, friendlyName, phone, issuer } = enrollment
  const label = { issuer, user: accountName(caller.user) }
  return {
    id,
    factorType,
    friendlyName,
    phone,
    totp: secret === null ? null : totpEnrollment(label, secret),
  }
}

async function store(
  ctx: AuthContext,
  caller: Caller,
  enrollment: Enrollment,
  { id, secret }: { id: string; secret: string | null },
): Promise<AuditNote> {
  const { factors, id: userId } = caller.user
  const replaced = factors.filter((factor) => isReplaced(ctx, factor, enrollment))
  requireRoom(ctx, caller, enrollment, replaced)

  const { factorType, friendlyName, phone } = enrollment
  const now = ctx.clock.now().toISOString()
  const traits = { factor_id: id, ...(factorType !== 'totp' && { factor_type: factorType }) }
  const note = auditNote(ctx, { action: 'factor_in_progress', actorId: userId, traits })
  await insertFactor(
    ctx.sql,
    {
      id,
      user_id: userId,
      factor_type: factorType,
      status: 'unverified',
      phone,
      friendly_name: friendlyName,
      created_at: now,
      updated_at: now,
      secret: secret && sealFactorSecret(ctx.roots, id, secret),
    },
    { replacedIds: replaced.map((factor) => factor.id), auditRows: note.rows },
  )
  return note
}

/** What was begun and given up makes room: the same phone anew, and what was never even challenged. */
function isReplaced(
  { clock, config }: AuthContext,
  { status, phone, lastChallengedAt, createdAt }: Factor,
  enrollment: Enrollment,
): boolean {
  if (status === 'verified') return false
  if (enrollment.phone !== null && phone === enrollment.phone) return true
  const ageMs = clock.now().getTime() - createdAt.getTime()
  return lastChallengedAt === null && ageMs > config.mfa.factorExpirySeconds * 1000
}

function requireRoom(
  { config }: AuthContext,
  caller: Caller,
  { phone, friendlyName }: Enrollment,
  replaced: readonly Factor[],
): void {
  const kept = caller.user.factors.filter((factor) => !replaced.includes(factor))
  const enrolled = kept.filter((factor) => !isRecoveryCodes(factor))
  const verified = enrolled.filter(({ status }) => status === 'verified')
  if (phone !== null && verified.some((one) => one.phone === phone)) throw verifiedFactorExists()
  if (kept.some((one) => one.friendlyName === friendlyName)) {
    throw factorNameConflict(friendlyName)
  }
  const { maxEnrolledFactors, maxVerifiedFactors } = config.mfa
  if (enrolled.length >= maxEnrolledFactors || verified.length >= maxVerifiedFactors) {
    throw tooManyFactors()
  }
  if (needsStepUp(caller)) throw strongSessionNeededToEnroll()
}

const accountName = ({ email, phone, id }: User): string => email ?? phone ?? id

function totpEnrollment(label: { issuer: string; user: string }, secret: string): TotpEnrollment {
  const uri = totpUri(label, secret)
  return { qrCode: totpQrCode(uri), secret, uri }
}
