import { carrierCheck } from '../../delivery/sms/open-sms-carrier.ts'
import { requesterOf } from '../../limits/requester-of.ts'
import type { AuthContext } from '../auth-context.ts'
import type { CountedCodeAttempt } from '../one-time-tokens/count-code-attempt.sql.ts'
import {
  clientOfRequester,
  isCodeOf,
  type OneTimeTokenRow,
} from '../one-time-tokens/one-time-token-row.ts'
import { storeCode } from '../one-time-tokens/one-time-tokens.sql.ts'
import type { Address } from '../users/addresses.ts'
import { isSameClient } from '../users/sign-up-origin.ts'

type ComparedToken = Pick<OneTimeTokenRow, 'id' | 'purpose' | 'user_id' | 'code_hash'>

/** A placeholder for a missing token. It matches no code. */
const decoyToken: ComparedToken = {
  id: '00000000-0000-4000-8000-000000000000',
  purpose: 'confirmation',
  user_id: '00000000-0000-4000-8000-000000000000',
  code_hash: '-'.repeat(43),
}

/** The check of a submitted code. */
export interface CodeCheck {
  isRight(token: ComparedToken): boolean
  /**
   * Stores the code with its token if a carrier approved it, so that the client can submit it again
   * after a rejection. The carrier deletes a code that it has approved.
   */
  keepValid(token: ComparedToken): Promise<void>
}

/**
 * Checks a code. Some carriers generate and check codes, which they bind only to the number. A code
 * that is stored here is not submitted to them. Without a candidate, the code is compared with a
 * placeholder, so that the response takes as long.
 *
 * Where several users requested the same number, the code of a carrier counts for the user whose
 * request came from the same client: otherwise an attacker's request for the number would prevent
 * its owner from confirming it. Where that is not exactly one user, the code proves nothing.
 *
 * @param counted the candidate tokens, and whether the requester has attempts left at the carrier.
 */
export async function checkCode(
  ctx: AuthContext,
  { kind, value }: Address,
  code: string,
  { candidates, mayQueryCarrier }: CountedCodeAttempt<object>,
): Promise<CodeCheck> {
  const isStored = (token: ComparedToken) => isCodeOf(ctx.roots, token, code)
  const tokens = candidates.length > 0 ? candidates.map(({ token }) => token) : [decoyToken]
  const check = kind === 'phone' && mayQueryCarrier ? carrierCheck(ctx) : null
  if (tokens.some(isStored) || !check) return { isRight: isStored, keepValid: async () => {} }
  const isApproved = await check(value, code)
  const triedFrom = requesterOf(ctx)
  const own = candidates.filter(({ token }) =>
    isSameClient(clientOfRequester(token.requested_from), triedFrom),
  )
  const meant = own.length > 0 ? own : candidates
  const waiting = new Set(meant.map(({ token }) => token.user_id))
  return {
    isRight: ({ user_id }) => isApproved && waiting.size === 1 && waiting.has(user_id),
    keepValid: (token) => storeCode(ctx, token, code),
  }
}
