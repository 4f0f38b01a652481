import type { AuthContext } from '../../accounts/auth-context.ts'
import {
  type CodeAttempt,
  type CountedCodeAttempt,
  countFixedCodeAttempt,
} from '../../accounts/one-time-tokens/count-code-attempt.sql.ts'
import {
  isCodeOf,
  type OneTimeTokenRow,
} from '../../accounts/one-time-tokens/one-time-token-row.ts'
import { clientOfRequester } from '../../accounts/one-time-tokens/resender.ts'
import type { Address } from '../../accounts/users/addresses.ts'
import { provingUserColumns } from '../../accounts/users/contest-holders.sql.ts'
import { toStoredUser } from '../../accounts/users/find-user.sql.ts'
import { isSameClient } from '../../accounts/users/registration.ts'
import { carrierCheck } from '../../delivery/carriers/carrier-check.ts'
import { findTestCode } from '../../delivery/sms/test-codes.ts'
import { requesterOf } from '../../limits/requester-of.ts'
import { isSameSecret } from '../../platform/kit/digest.ts'
import type { Proof } from './proof.ts'

/**
 * Whoever has, or is to have, a test number whose fixed code this is; null for every other code and
 * number. It need not have been asked for, and is good any number of times: a review of an app has
 * nobody to read messages. Attempts count all the same.
 */
export async function findByFixedCode(
  ctx: AuthContext,
  { kind, value }: Address,
  code: string,
  attempt: CodeAttempt,
): Promise<Pick<Proof, 'token' | 'stored'> | null> {
  const fixed = kind === 'phone' ? findTestCode(ctx.config.sms, value, attempt.now) : null
  if (fixed === null) return null
  const [found] = await countFixedCodeAttempt(ctx.sql, provingUserColumns, attempt)
  if (!found || !isSameSecret(code, fixed)) return null
  const token = {
    purpose: attempt.purposes[0] ?? 'confirmation',
    // What was sent says what it was for: the confirmation of a sign-up keeps the password.
    requested_by: found.token?.requested_by ?? 'otp',
    requested_from: attempt.triedFrom,
    audience: attempt.audience,
    id: null,
    sent_to: value,
    credential_id: found.token?.credential_id ?? null,
    code_challenge: null,
    code_challenge_method: null,
  } as const
  return { token, stored: toStoredUser(found) }
}

/** Stands for a token where there is none. No code is its own. */
export const decoyToken = (
  purpose: OneTimeTokenRow['purpose'] = 'confirmation',
): Pick<OneTimeTokenRow, 'purpose' | 'user_id' | 'code_hash'> => ({
  purpose,
  user_id: '00000000-0000-4000-8000-000000000000',
  code_hash: '-'.repeat(64),
})

/**
 * Tells whether a code is that of a token. Some carriers make and check codes of their own; theirs is
 * for the number alone. Where several users wait for the same number, it is for the one who asked as the client that
 * tries it: else a stranger who asks for the number would keep its owner from proving it. Where that is not one user,
 * it proves nothing.
 *
 * @param counted the tokens it may be of, and whether there are tries left at the carrier for who asks.
 */
export async function codeChecker(
  ctx: AuthContext,
  { kind, value }: Address,
  code: string,
  { candidates, mayAskCarrier }: CountedCodeAttempt<object>,
): Promise<(token: ReturnType<typeof decoyToken>) => boolean> {
  const check = kind === 'phone' && mayAskCarrier ? carrierCheck(ctx) : null
  if (!check) return (token) => isCodeOf(ctx.roots, token, code)
  const isApproved = await check(value, code)
  const triedFrom = requesterOf(ctx)
  const own = candidates.filter(({ token }) =>
    isSameClient(clientOfRequester(token.requested_from), triedFrom),
  )
  const meant = own.length > 0 ? own : candidates
  const waiting = new Set(meant.map(({ token }) => token.user_id))
  const isMeant = (userId: string) => waiting.size === 1 && waiting.has(userId)
  return (token) => (isApproved && isMeant(token.user_id)) || isCodeOf(ctx.roots, token, code)
}
