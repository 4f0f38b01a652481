import type { AuthError, StepUpAction } from '../../platform/errors/auth-error.ts'
import type { AuthContext } from '../auth-context.ts'
import {
  type AuthenticationMethod,
  type AuthenticationMethodReference,
  isProofOfUser,
  isSecondFactor,
  isWithin,
  newestProof,
  proofBy,
} from '../sessions/assurance.ts'
import type { Session } from '../sessions/session.ts'
import { newerProofNeeded } from '../sessions/session-errors.ts'
import { type Factor, hasVerifiedFactor } from '../users/user.ts'
import { needsFactorProof, type ProvedCaller } from './authenticate-caller.ts'

type Needs = Pick<AuthContext, 'clock' | 'config'>

/**
 * The maximum age of a recent proof for the option `within`, also where the configuration accepts
 * older proofs or any.
 */
const maxRecentSeconds = 600

const recentSeconds = ({ security }: AuthContext['config']): number =>
  Math.min(security.recentProofSeconds || maxRecentSeconds, maxRecentSeconds)

interface RecentProofOptions {
  /** Error for a session at `aal1` of a user with a verified factor. */
  insufficientAal(): AuthError
  /** Maximum age of the factor proof. Default: `security.recentProofSeconds`. */
  withinSeconds?: number
}

/**
 * Rejects a caller who may not add or replace a credential: a user with a verified factor has to
 * prove one shortly before. A user without a factor passes. Every endpoint that declares
 * `needsRecentProof` calls it, on the caller read under the lock or beside the version of the
 * write.
 *
 * @throws AuthError `insufficient_aal` at `aal1`, `reauthentication_needed` (403) with
 *   `details.stepUp` where the newest proof of a factor is older.
 * @see RFC 9470
 */
export function requireRecentProof(
  { config, clock }: Needs,
  caller: ProvedCaller,
  { insufficientAal, withinSeconds = config.security.recentProofSeconds }: RecentProofOptions,
): void {
  if (!hasVerifiedFactor(caller.user)) return
  if (needsFactorProof(caller)) throw insufficientAal()
  if (withinSeconds === 0 || isWithin(provedAt(caller), withinSeconds, clock.now())) return
  throw newerProofNeeded(nextProof(caller))
}

/**
 * Returns the action that satisfies a check for a recent factor proof: rule 20 excludes some
 * factors in some sessions.
 */
export const nextProof = ({
  user,
  session,
}: Pick<ProvedCaller, 'user' | 'session'>): StepUpAction =>
  session &&
  user.factors.some((factor) => factor.status === 'verified' && countsIn(session, factor))
    ? 'verify'
    : 'sign_in'

/**
 * Returns whether the caller has a recent proof: of a factor where the user has one, else any
 * sign-in.
 */
export const hasRecentProof = ({ config, clock }: Needs, caller: ProvedCaller): boolean =>
  isWithin(provedAt(caller), recentSeconds(config), clock.now())

/** Returns whether an entry of `amr` is recent. */
export const isRecentEntry = (
  { config, clock }: Needs,
  { timestamp }: AuthenticationMethodReference,
): boolean => isWithin(timestamp, recentSeconds(config), clock.now())

/**
 * Returns the entry of `amr` for a factor that was just proved. In a session that existed when the
 * factor was added without a recent proof, the entry is not recent.
 *
 * @param factor the factor with the `addedWithoutProofAt` that this proof stores.
 */
export function factorProof(
  { clock }: Pick<AuthContext, 'clock'>,
  session: Session,
  factor: Pick<Factor, 'addedWithoutProofAt'>,
  method: AuthenticationMethod,
): AuthenticationMethodReference {
  if (countsIn(session, factor)) return proofBy(method, clock.now())
  const earlier = session.amr.find((entry) => entry.method === method && entry.recent !== false)
  return earlier ?? { method, timestamp: newestIn(session), recent: false }
}

/**
 * Returns the time of the newest proof of a session without a recent one, and null for a session
 * with one. A session that is opened by a credential which this session adds is not more recent
 * than this one.
 */
export function olderProofOf({ config, clock }: Needs, session: Session): Date | null {
  const newest = newestIn(session)
  return isWithin(newest, recentSeconds(config), clock.now()) ? null : new Date(newest * 1000)
}

/** Returns whether a proof of the factor counts for `within` in this session. */
const countsIn = (
  { createdAt }: Pick<Session, 'createdAt'>,
  { addedWithoutProofAt }: Pick<Factor, 'addedWithoutProofAt'>,
): boolean => addedWithoutProofAt === null || createdAt > addedWithoutProofAt

const newestIn = ({ amr, createdAt }: Session): number =>
  newestProof(amr, isProofOfUser) ?? Math.floor(createdAt.getTime() / 1000)

/**
 * Returns the older of the two times that session and token state: each may have lost a proof or
 * lack a new one.
 */
function provedAt({ user, session, claims }: ProvedCaller): number | null {
  const counts = hasVerifiedFactor(user) ? isSecondFactor : isProofOfUser
  const [inSession, inToken] = [session?.amr, claims.amr].map((amr) => newestProof(amr, counts))
  return inSession == null || inToken == null ? null : Math.min(inSession, inToken)
}
