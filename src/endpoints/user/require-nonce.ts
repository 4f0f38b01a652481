import type { AuthContext } from '../../accounts/auth-context.ts'
import { countCodeAttempt } from '../../accounts/one-time-tokens/count-code-attempt.sql.ts'
import { isCodeOf } from '../../accounts/one-time-tokens/one-time-token-row.ts'
import { storedUserColumns } from '../../accounts/users/find-user.sql.ts'
import type { User } from '../../accounts/users/user.ts'
import { reauthenticationNotValid } from '../../credentials/passwords/password-errors.ts'
import { countGuess } from '../../limits/count-guess.ts'

/**
 * Returns the token of a nonce that `/reauthenticate` sent to the user. The permitted change must
 * consume it.
 *
 * @throws AuthError `reauthentication_not_valid` (422).
 */
export async function requireNonce(
  ctx: AuthContext,
  { id, email, phone, audience }: User,
  nonce: string,
): Promise<string> {
  const sentTo = email ?? phone
  if (!sentTo || !(await countGuess(ctx, 'code', sentTo))) throw reauthenticationNotValid()
  const { candidates } = await countCodeAttempt(ctx.sql, storedUserColumns, {
    sentTo,
    audience,
    purposes: ['reauthentication'],
    // Only callers with the session can use up the attempts.
    triedFrom: 'session',
    now: ctx.clock.now(),
    databaseNow: ctx.databaseNow(),
  })
  const own = candidates.find(({ token }) => token.user_id === id)
  if (!own || !isCodeOf(ctx.roots, own.token, nonce)) throw reauthenticationNotValid()
  return own.token.id
}
