import type { AuthContext } from '../../accounts/auth-context.ts'
import {
  type CodeAttempt,
  countFixedCodeAttempt,
} from '../../accounts/one-time-tokens/count-code-attempt.sql.ts'
import type { Address } from '../../accounts/users/addresses.ts'
import { provingUserColumns } from '../../accounts/users/competing-accounts.sql.ts'
import { toStoredUser } from '../../accounts/users/find-user.sql.ts'
import { findTestCode } from '../../delivery/sms/sms.ts'
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
