import {
  hasMethod,
  isProofOfUser,
  isSecondFactor,
  newestProof,
} from '../../accounts/sessions/assurance.ts'
import {
  factorNeeded,
  newerProofNeeded,
  newerSignInNeeded,
  proofOfFactorNeeded,
} from '../../accounts/sessions/session-errors.ts'
import type { AccessTokenClaims } from '../../credentials/access-tokens/claims.ts'
import type { StepUpAction } from '../../platform/errors/auth-error.ts'
import { parseDuration } from '../../platform/kit/duration.ts'

/** How strongly, and how recently, whoever sent a request has to be proved. */
export interface RequiredAssurance {
  /** 2: the session has shown a second factor. Default: 1. */
  aal?: 1 | 2 | undefined
  /**
   * How long ago the proof may be at most, such as `5m` or `1h30m`. With `aal: 2` it is the proof
   * of a second factor that counts, else that of any sign-in method. A refresh proves nothing.
   * Default: as long ago as the session allows.
   */
  within?: string | undefined
}

/** The same, as read. */
export interface StepUp {
  aal: 1 | 2
  withinSeconds: number | null
}

const known: Record<keyof RequiredAssurance | 'strict', true> = {
  aal: true,
  within: true,
  strict: true,
}

/**
 * Reads what a call of `requireUser` asks for.
 *
 * @throws TypeError for what it cannot mean: one that is passed over would let everybody in.
 */
export function readStepUp(options: RequiredAssurance): StepUp {
  if (typeof options !== 'object' || options === null) throw new TypeError('options are an object')
  const { aal = 1, within, ...rest } = options
  const unknown = Object.keys(rest).find((name) => !Object.hasOwn(known, name))
  if (unknown !== undefined) throw new TypeError(`there is no option ${unknown}`)
  if (aal !== 1 && aal !== 2) throw new TypeError('aal has to be 1 or 2')
  return { aal, withinSeconds: within === undefined ? null : readWithin(within) }
}

function readWithin(within: unknown): number {
  const seconds = typeof within === 'string' ? (parseDuration(within) ?? 0) / 1000 : 0
  // Tokens tell the time of a proof in whole seconds.
  if (seconds >= 1) return seconds
  throw new TypeError('within has to be a duration of one second or more, such as 5m or 1h30m')
}

/** What is known of whoever sent a request. */
interface Shown {
  claims: AccessTokenClaims
  isStrong: boolean
  /** Whether the user has a verified factor; null where nobody asked. */
  hasFactor: boolean | null
  /** Action that makes a factor proof recent. Default: derived from the token. */
  nextProof?: StepUpAction
}

/**
 * Refuses who has not been proved as strongly or as recently as it is asked for. What counts is
 * what the token says: one from before a proof is as old as it was.
 *
 * @throws AuthError `insufficient_aal`, `mfa_factor_not_found`, `reauthentication_needed` (403),
 *   each with what is to be done in `details.stepUp`.
 * @see RFC 9470, whose `acr_values` and `max_age` ask for the same
 */
export function requireStepUp(
  { aal, withinSeconds }: StepUp,
  { claims, isStrong, hasFactor, nextProof = nextProofOf(claims) }: Shown,
  now: Date,
): void {
  if (aal === 2 && !isStrong)
    throw hasFactor === false ? factorNeeded() : proofOfFactorNeeded(hasFactor)
  if (withinSeconds === null) return
  const counts = aal === 2 ? isSecondFactor : isProofOfUser
  const provedAt = newestProof(claims.amr, counts)
  if (provedAt !== null && provedAt >= now.getTime() / 1000 - withinSeconds) return
  throw aal === 2 ? newerProofNeeded(nextProof) : newerSignInNeeded()
}

/**
 * Where every factor proof in the token is one that `within` excludes, another in this session
 * would be, too.
 */
const nextProofOf = ({ amr }: AccessTokenClaims): StepUpAction =>
  newestProof(amr, isSecondFactor) === null && hasMethod(amr, isSecondFactor) ? 'sign_in' : 'verify'
