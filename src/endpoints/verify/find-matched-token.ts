import { checkCode } from '../../accounts/addresses/check-code.ts'
import { sendLimitsOf } from '../../accounts/addresses/send-limits-of.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import {
  type CodeRequest,
  countCodeAttempt,
} from '../../accounts/one-time-tokens/count-code-attempt.sql.ts'
import type { OneTimeTokenPurpose } from '../../accounts/one-time-tokens/one-time-token.entity.ts'
import { linkExpired, otpExpired } from '../../accounts/one-time-tokens/one-time-token-errors.ts'
import type { OneTimeTokenRow } from '../../accounts/one-time-tokens/one-time-token-row.ts'
import { findByLink, findLiveToken } from '../../accounts/one-time-tokens/one-time-tokens.sql.ts'
import type { Address } from '../../accounts/users/addresses.ts'
import { provingUserColumns } from '../../accounts/users/competing-accounts.sql.ts'
import { findById, toStoredUser } from '../../accounts/users/find-user.sql.ts'
import { isBanned } from '../../accounts/users/user.ts'
import { userBanned } from '../../accounts/users/user-errors.ts'
import { carrierCheck, smsCodeLifetimeSeconds } from '../../delivery/sms/open-sms-carrier.ts'
import { countGuess } from '../../limits/count-guess.ts'
import { requesterOf } from '../../limits/requester-of.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { sha256Hex } from '../../platform/kit/digest.ts'
import { errorTypeOf } from '../../platform/observability/telemetry.ts'
import { findByFixedCode } from './find-by-fixed-code.ts'
import type { MatchedToken } from './matched-token.ts'
import type { Verification } from './read-verification.ts'
import type { ProofType } from './verify.endpoint.ts'

/**
 * Returns the token that matches a link or code. A code counts as an attempt before it is compared.
 *
 * @throws AuthError `otp_expired`, `user_banned` (403), `validation_failed` (400).
 */
export async function findMatchedToken(
  ctx: AuthContext,
  { type, input, password }: Verification,
): Promise<MatchedToken> {
  const matched = await counted(ctx, 'secret' in input ? 'link' : 'code', () =>
    'secret' in input
      ? findLink(ctx, type, input.secret)
      : findCode(ctx, type, { ...input, staysValid: password !== null }),
  )
  const follower = 'secret' in input ? input.browser : undefined
  return requireUnbanned(ctx, {
    ...matched,
    sentTo: sentToOf(matched.token),
    isSubmitted: follower === undefined,
    isOwnBrowser: follower ? isRequestedBy(follower, matched.token) : false,
  })
}

/** Counts verified and rejected codes and links, for the operator. */
async function counted<T>(
  { telemetry }: AuthContext,
  kind: 'link' | 'code',
  find: () => Promise<T>,
): Promise<T> {
  const count = (result: string) =>
    telemetry?.count('auth.proofs', { 'auth.evidence': kind, 'auth.result': result })
  try {
    const found = await find()
    count('ok')
    return found
  } catch (error) {
    count(errorTypeOf(error))
    throw error
  }
}

/**
 * Returns the same match with the user's present state; null once its token is used or revoked.
 *
 * @throws AuthError `user_banned` (403).
 */
export async function findMatchedTokenAgain(
  ctx: AuthContext,
  matched: MatchedToken,
): Promise<MatchedToken | null> {
  const { token, stored } = matched
  if (token.id === null) {
    const user = await findById(ctx.sql, stored.user.id)
    return user && !user.user.deletedAt ? requireUnbanned(ctx, { ...matched, stored: user }) : null
  }
  const live = { id: token.id, now: ctx.clock.now() }
  const found = await findLiveToken(ctx.sql, provingUserColumns, live)
  if (!found) return null
  const sentTo = sentToOf(found.token)
  return requireUnbanned(ctx, {
    ...matched,
    token: found.token,
    sentTo,
    stored: toStoredUser(found),
  })
}

type FoundMatch = Omit<MatchedToken, 'sentTo' | 'isSubmitted' | 'isOwnBrowser'>

const sentToOf = ({ sent_to: value }: MatchedToken['token']): Address => ({
  kind: value.includes('@') ? 'email' : 'phone',
  value,
})

const isRequestedBy = (browser: string, token: MatchedToken['token']): boolean =>
  token.requested_by === 'provider' && token.requested_from === `browser:${sha256Hex(browser)}`

function requireUnbanned({ clock }: AuthContext, matched: MatchedToken): MatchedToken {
  if (isBanned(matched.stored.user, clock.now())) throw userBanned()
  return matched
}

async function findLink(ctx: AuthContext, type: string, secret: string): Promise<FoundMatch> {
  const purposes = purposesOfLink(type)
  const link = { secret, purposes, now: ctx.clock.now() }
  const found = await findByLink(ctx.sql, provingUserColumns, link)
  if (!found) throw linkExpired()
  const { token } = found
  return { type: verifiedTypeOf(type, token), token, stored: toStoredUser(found) }
}

interface SubmittedCode {
  code: string
  address: Address
  /** Whether the code has to be valid after this request, which may be rejected for its password. */
  staysValid: boolean
}

async function findCode(
  ctx: AuthContext,
  type: string,
  { code, address, staysValid }: SubmittedCode,
): Promise<FoundMatch> {
  const purposes = purposesOfCode(type, address.kind)
  if (!(await countGuess(ctx, 'code', address.value))) {
    ctx.request.decided({ kind: 'limit', rule: 'code_attempts' })
    throw otpExpired()
  }
  const attempt = {
    sentTo: address.value,
    audience: ctx.request.audience,
    purposes,
    triedFrom: requesterOf(ctx),
    now: ctx.clock.now(),
    databaseNow: ctx.databaseNow(),
  }
  const fixed = await findByFixedCode(ctx, address, code, attempt)
  if (fixed) return { type: verifiedTypeOf(type, fixed.token), ...fixed }
  const isCountedByCarrier = address.kind === 'phone' && carrierCheck(ctx) !== null
  const codeRequest = isCountedByCarrier ? codeRequestOf(ctx, address, purposes) : null
  const counted = await countCodeAttempt(ctx.sql, provingUserColumns, attempt, codeRequest)
  const { candidates } = counted
  const check = await checkCode(ctx, address, code, counted)
  const found = candidates.find(({ token }) => check.isRight(token))
  if (!found) {
    // Only the operator learns which rule applied, and both are recorded alike.
    const rule = candidates.length === 0 ? 'no_code_waits' : 'wrong_code'
    ctx.request.decided({ kind: 'link', rule })
    throw otpExpired()
  }
  if (address.kind === 'phone') ctx.smsTraffic.noteVerified(address.value)
  const { token } = found
  if (staysValid) await check.keepValid(token)
  return { type: verifiedTypeOf(type, token), token, stored: toStoredUser(found) }
}

/**
 * Returns the record of this client's request for a code: its send interval, which starts whether
 * or not the number is known. There is none where the interval is zero, and for changes, which are
 * requested with other addresses.
 */
function codeRequestOf(
  ctx: AuthContext,
  address: Address,
  purposes: readonly string[],
): CodeRequest {
  const { interval } = sendLimitsOf(ctx, 'sms', address)
  return {
    key: purposes.includes('phone_change') ? null : (interval?.key ?? null),
    lifetimeSeconds: smsCodeLifetimeSeconds(ctx),
  }
}

const emailChange = ['email_change_new', 'email_change_current'] as const

/** The purposes of mailed tokens that each type accepts. */
const mailed: Record<string, readonly OneTimeTokenPurpose[]> = {
  signup: ['confirmation'],
  invite: ['confirmation'],
  magiclink: ['recovery'],
  recovery: ['recovery'],
  email: ['confirmation', 'recovery'],
  email_change: emailChange,
  credential: ['credential'],
}

const texted: Record<string, readonly OneTimeTokenPurpose[]> = {
  sms: ['confirmation'],
  phone_change: ['phone_change'],
  credential: ['credential'],
}

/**
 * Returns the purposes that a link of this type accepts.
 *
 * @throws AuthError `validation_failed` for a type that no link has.
 */
function purposesOfLink(type: string): readonly OneTimeTokenPurpose[] {
  const purposes = Object.hasOwn(mailed, type) ? mailed[type] : undefined
  if (!purposes) throw validationFailed('type: Invalid email verification type')
  return purposes
}

/**
 * Returns the purposes that a code of this type accepts, for this kind of address.
 *
 * @throws AuthError `otp_expired` (403) for a type that does not fit.
 */
function purposesOfCode(type: string, kind: 'email' | 'phone'): readonly OneTimeTokenPurpose[] {
  const known = kind === 'email' ? mailed : texted
  const purposes = Object.hasOwn(known, type) ? known[type] : undefined
  if (!purposes) throw otpExpired()
  return purposes
}

/** The type `email` accepts mailed codes of all purposes. */
const verifiedTypeOf = (type: string, { purpose }: Pick<OneTimeTokenRow, 'purpose'>): ProofType => {
  if (type !== 'email') return type as ProofType
  return purpose === 'confirmation' ? 'signup' : 'magiclink'
}
