import {
  hasMethod,
  isProofOfUser,
  isSecondFactor,
  isWithin,
  newestProof,
} from '../../accounts/sessions/assurance.ts'
import {
  factorNeeded,
  newerProofNeeded,
  newerSignInNeeded,
  proofOfFactorNeeded,
} from '../../accounts/sessions/session-errors.ts'
import { scopeMissing } from '../../credentials/access-tokens/access-token-errors.ts'
import type { AccessTokenClaims } from '../../credentials/access-tokens/claims.ts'
import type { StepUpAction } from '../../platform/errors/auth-error.ts'
import { scopesIn } from '../../platform/kit/scopes-in.ts'
import { parseDuration } from '../../platform/kit/time-formats.ts'

/** The required assurance level and age of a session's proof. */
export interface RequiredAssurance {
  /** 2 requires a session with a proved second factor. Default: 1. */
  aal?: 1 | 2 | undefined
  /**
   * The maximum age of the proof, such as `5m` or `1h30m`. With `aal: 2` it is that of a second
   * factor, else of any sign-in method. A refresh is no proof. Default: no maximum.
   */
  within?: string | undefined
}

/** A required assurance, after parsing. */
export interface StepUp {
  aal: 1 | 2
  withinSeconds: number | null
}

const known: Record<keyof RequiredAssurance | 'scope' | 'strict', true> = {
  scope: true,
  aal: true,
  within: true,
  strict: true,
}

/**
 * Reads the options of `requireUser`.
 *
 * @throws TypeError for an invalid option: if it were ignored, every session would be accepted.
 */
export function readStepUp(options: RequiredAssurance): StepUp {
  if (typeof options !== 'object' || options === null)
    throw new TypeError('options must be an object')
  const { aal = 1, within, ...rest } = options
  const unknown = Object.keys(rest).find((name) => !Object.hasOwn(known, name))
  if (unknown !== undefined) throw new TypeError(`unknown option ${unknown}`)
  if (aal !== 1 && aal !== 2) throw new TypeError('aal must be 1 or 2')
  return { aal, withinSeconds: within === undefined ? null : readWithin(within) }
}

function readWithin(within: unknown): number {
  const seconds = typeof within === 'string' ? (parseDuration(within) ?? 0) / 1000 : 0
  // Tokens contain the time of a proof in whole seconds.
  if (seconds >= 1) return seconds
  throw new TypeError('within must be a duration of one second or more, such as 5m or 1h30m')
}

/** The assurance of a request's session. */
interface Shown {
  claims: AccessTokenClaims
  isStrong: boolean
  /** Whether the user has a verified factor; null where it was not queried. */
  hasFactor: boolean | null
  /** The action that makes a factor proof recent. Default: derived from the token. */
  nextProof?: StepUpAction
}

/**
 * Rejects a session without the required assurance or recent proof. The token determines both: one
 * that was issued before a proof does not contain it.
 *
 * @throws AuthError `insufficient_aal`, `mfa_factor_not_found`, `reauthentication_needed` (403),
 *   each with the required step in `details.stepUp`.
 * @see RFC 9470, whose `acr_values` and `max_age` require the same
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
  if (isWithin(newestProof(claims.amr, counts), withinSeconds, now)) return
  throw aal === 2 ? newerProofNeeded(nextProof) : newerSignInNeeded()
}

/**
 * Where `within` excludes every factor proof in the token, it would also exclude another one in
 * this session.
 */
const nextProofOf = ({ amr }: AccessTokenClaims): StepUpAction =>
  newestProof(amr, isSecondFactor) === null && hasMethod(amr, isSecondFactor) ? 'sign_in' : 'verify'

/** The scopes that the token of an OAuth client needs. */
export interface RequiredScopes {
  /**
   * Accepts tokens of OAuth clients, too, if they contain these scopes: one, or a list of which
   * all are required. Tokens of the user's own sessions are not limited by scopes. Default: tokens
   * of clients are rejected.
   */
  scope?: string | readonly string[] | undefined
}

/**
 * Returns the scopes of a token.
 *
 * @param required the scopes that it has to contain: one, several separated by spaces, or a list.
 * @throws AuthError `insufficient_scope` (403).
 * @throws TypeError for a value that is neither: if it were ignored, every token would be accepted.
 */
export function requireScopes(
  scope: unknown,
  required: string | readonly string[] | undefined,
): string[] {
  const granted = typeof scope === 'string' ? scopesIn(scope) : []
  if (readScopes(required).every((one) => granted.includes(one))) return granted
  throw scopeMissing()
}

/** Reads an option with scopes. @throws TypeError. */
export function readScopes(required: unknown): string[] {
  if (required === undefined) return []
  const names = [required]
    .flat()
    .flatMap((one) => (typeof one === 'string' ? one.split(' ') : ['']))
  if (names.length > 0 && !names.includes('')) return names
  throw new TypeError('scope must be a scope, or a list of scopes')
}
