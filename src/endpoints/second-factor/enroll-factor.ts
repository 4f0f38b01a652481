import { performAct } from '../../accounts/acts/record-act.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Caller } from '../../accounts/callers/authenticate-caller.ts'
import { requireRecentProof } from '../../accounts/callers/recent-proof.ts'
import { requireMayChangeSignIn } from '../../accounts/callers/recent-sign-in.ts'
import { requirePermanentUser } from '../../accounts/callers/require-permanent-user.ts'
import { withLockedCaller } from '../../accounts/callers/with-locked-user.ts'
import {
  enrollNotEnabled,
  factorNameConflict,
  tooManyFactors,
  verifiedFactorExists,
} from '../../accounts/factors/factor-errors.ts'
import { sealFactorSecret } from '../../accounts/factors/factor-secret.ts'
import { insertFactor } from '../../accounts/factors/factors.sql.ts'
import { stepUpNeededToEnroll } from '../../accounts/sessions/session-errors.ts'
import { type Factor, isRecoveryCodes, type User } from '../../accounts/users/user.ts'
import type { Config } from '../../platform/config/config.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import {
  type ChallengedFactorType,
  challengedFactorTypes,
  factorSwitches,
} from '../../platform/factor-kinds/factor-kinds.ts'
import { requireShort } from '../../platform/kit/storable-text.ts'
import type { Unvalidated } from '../http/endpoint.ts'
import { factorKind } from './factor-kinds/factor-kinds.ts'
import { requireRoomForVerified, requireSessionId } from './own-factor.ts'
import type { EnrolledFactor, EnrollFactorInput } from './second-factor.endpoint.ts'

/**
 * Starts the enrollment of a second factor, which is complete after its first verification.
 *
 * @throws AuthError `session_not_found` (403) for a token without a session, `no_authorization`
 *   (403) for an anonymous user, `validation_failed` (400), `mfa_…_enroll_not_enabled`,
 *   `mfa_factor_name_conflict`, `too_many_enrolled_mfa_factors` (422), `insufficient_aal`,
 *   `reauthentication_needed` (403), and the errors of the kind.
 */
export async function enrollFactor(
  ctx: AuthContext,
  caller: Caller,
  input: Unvalidated<EnrollFactorInput>,
): Promise<EnrolledFactor> {
  requirePermanentUser(caller)
  requireSessionId(caller)
  const enrollment = readEnrollment(ctx.config, input)
  const kind = factorKind(enrollment.factorType)
  const id = ctx.random.uuid()
  const secret = kind.newSecret?.(ctx.random) ?? null
  // The lock permits one enrollment at a time, and none in a session that has ended since.
  await withLockedCaller(ctx, caller, (tx, current) =>
    store(tx, current, enrollment, { id, secret }),
  )
  const { factorType, friendlyName, phone, issuer } = enrollment
  const label = { issuer, user: accountName(caller.user) }
  return {
    id,
    factorType,
    friendlyName,
    phone,
    totp: (secret !== null && (await kind.presentSecret?.(secret, label))) || null,
  }
}

async function store(
  ctx: AuthContext,
  caller: Caller,
  enrollment: Enrollment,
  { id, secret }: { id: string; secret: string | null },
): Promise<void> {
  const { factors, id: userId } = caller.user
  factorKind(enrollment.factorType).requireUsable?.(ctx, caller)
  const replaced = factors.filter((factor) => isReplaced(ctx, factor, enrollment))
  requireRoom(ctx, caller, enrollment, replaced)
  requireRecentProof(ctx, caller, { insufficientAal: stepUpNeededToEnroll })
  requireMayChangeSignIn(ctx, caller)

  const { factorType, friendlyName, phone } = enrollment
  const now = ctx.clock.now().toISOString()
  const traits = { factor_id: id, ...(factorType !== 'totp' && { factor_type: factorType }) }
  const audit = { action: 'factor_in_progress', actorId: userId, traits } as const
  const row = {
    id,
    user_id: userId,
    factor_type: factorType,
    status: 'unverified',
    phone,
    friendly_name: friendlyName,
    created_at: now,
    updated_at: now,
    secret: secret && sealFactorSecret(ctx.roots, id, secret),
  } as const
  const replacedIds = replaced.map((factor) => factor.id)
  await performAct(ctx, { audit }, ({ auditRows }) =>
    insertFactor(ctx.sql, row, { replacedIds, auditRows }),
  )
}

/**
 * An unverified factor is replaced by one with the same authenticator, and by any if it was never
 * challenged.
 */
function isReplaced(
  { clock, config }: AuthContext,
  factor: Factor,
  enrollment: Enrollment,
): boolean {
  const { status, lastChallengedAt, createdAt } = factor
  if (status === 'verified') return false
  if (isSame(factor, enrollment)) return true
  const ageMs = clock.now().getTime() - createdAt.getTime()
  return lastChallengedAt === null && ageMs > config.mfa.factorExpirySeconds * 1000
}

const isSame = (factor: Factor, enrollment: Enrollment): boolean =>
  factor.factorType === enrollment.factorType &&
  (factorKind(factor.factorType).isSameAuthenticator?.(factor, enrollment) ?? false)

function requireRoom(
  ctx: AuthContext,
  caller: Caller,
  enrollment: Enrollment,
  replaced: readonly Factor[],
): void {
  const { factorType, friendlyName } = enrollment
  const kept = caller.user.factors.filter((factor) => !replaced.includes(factor))
  const enrolled = kept.filter((factor) => !isRecoveryCodes(factor))
  const verified = enrolled.filter(({ status }) => status === 'verified')
  if (verified.some((one) => isSame(one, enrollment))) throw verifiedFactorExists(factorType)
  if (kept.some((one) => one.friendlyName === friendlyName)) {
    throw factorNameConflict(friendlyName)
  }
  if (enrolled.length >= ctx.config.mfa.maxEnrolledFactors) throw tooManyFactors()
  requireRoomForVerified(ctx, kept)
}

const accountName = ({ email, phone, id }: User): string => email ?? phone ?? id

/** A valid request to enroll a factor. */
interface Enrollment {
  factorType: ChallengedFactorType
  friendlyName: string | null
  issuer: string
  phone: string | null
}

/** Validates an enrollment, in the order of errors that the wire specifies. */
function readEnrollment(config: Config, input: Unvalidated<EnrollFactorInput>): Enrollment {
  const factorType = readType(input.factorType)
  const kind = factorKind(factorType)
  if (!factorSwitches(config, factorType).enrollEnabled) throw enrollNotEnabled(factorType)
  const phone = kind.readPhone?.(input) ?? null
  const { friendlyName = '' } = input
  requireShort(friendlyName, 'friendly_name')
  const issuer = readIssuer(config, input.issuer)
  return { factorType, friendlyName: friendlyName || null, issuer, phone }
}

function readType(text: string | undefined): ChallengedFactorType {
  const type = challengedFactorTypes.find((one) => one === text)
  if (type) return type
  const list = new Intl.ListFormat('en', { type: 'disjunction' }).format(challengedFactorTypes)
  throw validationFailed(`factor_type: factor_type needs to be ${list}`)
}

/**
 * The URL-encoded length. The URI of an app contains the issuer twice, and a QR code of this kind
 * holds 1,273 bytes.
 */
const maxIssuerLength = 200

function readIssuer(config: Config, given: string | undefined): string {
  if (!given) return siteHost(config).slice(0, maxIssuerLength)
  if (encodeURIComponent(given).length <= maxIssuerLength) return given
  throw validationFailed('issuer: is too long')
}

const siteHost = ({ siteUrl }: Config): string => URL.parse(siteUrl)?.host || siteUrl
