import type { AuthContext } from '../../accounts/auth-context.ts'
import {
  type CodeAttempt,
  type CountedCodeAttempt,
  countFixedCodeAttempt,
} from '../../accounts/one-time-tokens/count-code-attempt.sql.ts'
import {
  clientOfRequester,
  isCodeOf,
  type OneTimeTokenRow,
} from '../../accounts/one-time-tokens/one-time-token-row.ts'
import type { Address } from '../../accounts/users/addresses.ts'
import { provingUserColumns } from '../../accounts/users/competing-accounts.sql.ts'
import { toStoredUser } from '../../accounts/users/find-user.sql.ts'
import { isSameClient } from '../../accounts/users/registration.ts'
import { carrierCheck } from '../../delivery/sms/open-sms-carrier.ts'
import { findTestCode } from '../../delivery/sms/sms.ts'
import { requesterOf } from '../../limits/requester-of.ts'
import { isSameSecret } from '../../platform/kit/digest.ts'
import type { MatchedToken } from './matched-token.ts'

/**
 * Returns the user with this test number, confirmed or pending, whose fixed code this is; null for
 * every other code and number. The code is valid without a request and any number of times, because
 * the reviewer of an app cannot read messages. Attempts are counted.
 */
export async function findByFixedCode(
  ctx: AuthContext,
  { kind, value }: Address,
  code: string,
  attempt: CodeAttempt,
): Promise<Pick<MatchedToken, 'token' | 'stored'> | null> {
  const fixed = kind === 'phone' ? findTestCode(ctx.config.sms, value, attempt.now) : null
  if (fixed === null) return null
  const [found] = await countFixedCodeAttempt(ctx.sql, provingUserColumns, attempt)
  if (!found || !isSameSecret(code, fixed)) return null
  const token = {
    purpose: attempt.purposes[0] ?? 'confirmation',
    // The purpose of the sent message applies: the confirmation of a sign-up keeps the password.
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

/** Returns a placeholder for a missing token. It matches no code. */
export const decoyToken = (
  purpose: OneTimeTokenRow['purpose'] = 'confirmation',
): Pick<OneTimeTokenRow, 'purpose' | 'user_id' | 'code_hash'> => ({
  purpose,
  user_id: '00000000-0000-4000-8000-000000000000',
  code_hash: '-'.repeat(43),
})

/**
 * Returns a function that checks a code against a token. Some carriers generate and check codes,
 * which they bind only to the number. Where several users requested the same number, the code
 * counts for the user whose request came from the same client: otherwise an attacker's request for
 * the number would prevent its owner from confirming it. Where that is not exactly one user, the
 * code proves nothing.
 *
 * @param counted the candidate tokens, and whether the requester has attempts left at the carrier.
 */
export async function codeChecker(
  ctx: AuthContext,
  { kind, value }: Address,
  code: string,
  { candidates, mayQueryCarrier }: CountedCodeAttempt<object>,
): Promise<(token: ReturnType<typeof decoyToken>) => boolean> {
  const check = kind === 'phone' && mayQueryCarrier ? carrierCheck(ctx) : null
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
