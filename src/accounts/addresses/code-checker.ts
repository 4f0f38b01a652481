import { carrierCheck } from '../../delivery/sms/open-sms-carrier.ts'
import { requesterOf } from '../../limits/requester-of.ts'
import type { AuthContext } from '../auth-context.ts'
import type { CountedCodeAttempt } from '../one-time-tokens/count-code-attempt.sql.ts'
import {
  clientOfRequester,
  isCodeOf,
  type OneTimeTokenRow,
} from '../one-time-tokens/one-time-token-row.ts'
import type { Address } from '../users/addresses.ts'
import { isSameClient } from '../users/registration.ts'

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
 * which they bind only to the number. A code that is stored here is not submitted to them.
 *
 * Where several users requested the same number, the code of a carrier counts for the user whose
 * request came from the same client: otherwise an attacker's request for the number would prevent
 * its owner from confirming it. Where that is not exactly one user, the code proves nothing.
 *
 * @param counted the candidate tokens, and whether the requester has attempts left at the carrier.
 */
export async function codeChecker(
  ctx: AuthContext,
  { kind, value }: Address,
  code: string,
  { candidates, mayQueryCarrier }: CountedCodeAttempt<object>,
): Promise<(token: ReturnType<typeof decoyToken>) => boolean> {
  const isStored = (token: ReturnType<typeof decoyToken>) => isCodeOf(ctx.roots, token, code)
  const check = kind === 'phone' && mayQueryCarrier ? carrierCheck(ctx) : null
  if (!check) return isStored
  const compared = candidates.length > 0 ? candidates.map(({ token }) => token) : [decoyToken()]
  if (compared.some(isStored)) return isStored
  const isApproved = await check(value, code)
  const triedFrom = requesterOf(ctx)
  const own = candidates.filter(({ token }) =>
    isSameClient(clientOfRequester(token.requested_from), triedFrom),
  )
  const meant = own.length > 0 ? own : candidates
  const waiting = new Set(meant.map(({ token }) => token.user_id))
  return ({ user_id }) => isApproved && waiting.size === 1 && waiting.has(user_id)
}
