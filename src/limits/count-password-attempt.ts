import type { AuthContext, RequestFacts } from '../accounts/auth-context.ts'
import type { Address } from '../accounts/users/addresses.ts'
import {
  type FoundForSignIn,
  findForSignIn,
  type SignInLookUp,
} from '../accounts/users/find-for-sign-in.sql.ts'
import type { User } from '../accounts/users/user.ts'
import type { Turn } from '../credentials/passwords/gate.ts'
import { clientNetwork } from '../platform/kit/client-networks.ts'
import { isPublic, readIpAddress } from '../platform/kit/ip-address.ts'
import { countGuess } from './count-guess.ts'
import { hashingTurn } from './hashing-turn.ts'
import { overRequestRateLimit } from './limit-errors.ts'
import { attemptKeys, freeFailures, maxWaitSeconds } from './password-attempts.ts'

/** How long a place counts as usual after a sign-in from there. */
const knownForMs = 90 * 24 * 60 * 60 * 1000

/** A password that is tried, and whether it may be. */
export interface PasswordAttempt extends Pick<FoundForSignIn, 'found' | 'attemptKeys'> {
  /** Attempts of one lane are compared one after another. */
  lane: string
  /** After how many seconds another one may be tried; null where this one may, and was counted. */
  waitSeconds: number | null
  /** Whose turn it takes to compare it. */
  turn: Turn
}

/**
 * Counts a password that is tried for an address, and finds who has that. It counts before anything is
 * compared, so that parallel attempts cannot outrun the count.
 *
 * @param audience where to look.
 * @throws AuthError `over_request_rate_limit` (429) after too many wrong ones in a row.
 */
export const countPasswordAttempt = async (
  ctx: AuthContext,
  address: Address,
  audience: string,
): Promise<PasswordAttempt> => requireAttempt(ctx, await takeAttempt(ctx, address, audience))

/**
 * Counts a password that somebody tries who holds a session of the user: with those of sign-ins, since it
 * is one password. Whoever has no address to sign in by is counted by their id.
 */
export function takeOwnPasswordAttempt(
  ctx: AuthContext,
  { id, email, phone, audience }: User,
): Promise<PasswordAttempt> {
  const byPhone = phone ? ({ kind: 'phone', value: phone } as const) : null
  const subject = email ? ({ kind: 'email', value: email } as const) : byPhone
  return takeAttempt(ctx, subject ?? { kind: 'id', value: id }, audience)
}

/** @throws AuthError `over_request_rate_limit` (429) where the attempt has to wait. */
export function requireAttempt(
  { request }: AuthContext,
  attempt: PasswordAttempt,
): PasswordAttempt {
  if (attempt.waitSeconds === null) return attempt
  request.decided({ kind: 'limit', rule: 'password_attempts' })
  throw overRequestRateLimit(attempt.waitSeconds)
}

async function takeAttempt(
  ctx: AuthContext,
  subject: SignInLookUp['subject'],
  audience: string,
): Promise<PasswordAttempt> {
  const now = ctx.clock.now()
  const network = ownNetwork(ctx.request)
  const keys = attemptKeys(audience, subject, network)
  if (!(await countGuess(ctx, 'password', subject.value))) {
    const turn = hashingTurn(ctx, subject.value, false)
    return { found: null, attemptKeys: [], lane: keys.anywhere, waitSeconds: 60, turn }
  }
  const { waitsUntil, ...looked } = await findForSignIn(ctx.sql, {
    subject,
    audience,
    network,
    now,
    freeFailures,
    maxWaitSeconds,
    keys,
    place: placeOf(ctx.request),
    attemptId: ctx.random.uuid(),
    knownSince: new Date(now.getTime() - knownForMs),
  })
  const waitMs = waitsUntil && waitsUntil.getTime() - now.getTime()
  const waitSeconds = waitMs === null ? null : Math.max(1, Math.ceil(waitMs / 1000))
  return {
    ...looked,
    lane: keys.anywhere,
    waitSeconds,
    turn: hashingTurn(ctx, subject.value, looked.isUsualPlace),
  }
}

/** Where a request comes from, a client's own network or not. */
function placeOf({ ip }: RequestFacts): string | null {
  const address = readIpAddress(ip ?? '')
  return address && clientNetwork(address)
}

/**
 * The network that a client can be known at; null where others share its address. A private one is that
 * of a proxy, unless the operator declared a header that holds it; and whose header holds something else
 * than an address is known by the proxy's address alone, however public.
 */
function ownNetwork({ ip, clientKey }: RequestFacts): string | null {
  const address = readIpAddress(ip ?? '')
  if (!address) return null
  const network = clientNetwork(address)
  const key = clientKey()
  const isOwn = key === null ? isPublic(address) : key === network
  return isOwn ? network : null
}
