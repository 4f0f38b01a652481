import { checkCode } from '../../accounts/addresses/check-code.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { nonceRecipient } from '../../accounts/callers/nonce-recipient.ts'
import { countCodeAttempt } from '../../accounts/one-time-tokens/count-code-attempt.sql.ts'
import { storedUserColumns } from '../../accounts/users/find-user.sql.ts'
import type { User } from '../../accounts/users/user.ts'
import { reauthenticationNotValid } from '../../credentials/passwords/password-errors.ts'
import { countGuess } from '../../limits/count-guess.ts'

/**
 * Returns the token of a nonce that `/reauthenticate` sent to the user. The permitted change must
 * consume it.
 *
 * @throws AuthError `reauthentication_not_valid` (422), `service_unavailable` (503) where the
 *   carrier that checks codes does not respond.
 */
export async function requireNonce(ctx: AuthContext, user: User, nonce: string): Promise<string> {
  const address = nonceRecipient(ctx, user)
  if (address === null || address === 'too_new') throw reauthenticationNotValid()
  if (!(await countGuess(ctx, 'code', address.value))) throw reauthenticationNotValid()
  const counted = await countCodeAttempt(ctx.sql, storedUserColumns, {
    sentTo: address.value,
    audience: user.audience,
    purposes: ['reauthentication'],
    // Only callers with the session can use up the attempts.
    triedFrom: 'session',
    now: ctx.clock.now(),
    databaseNow: ctx.databaseNow(),
  })
  const own = counted.candidates.find(({ token }) => token.user_id === user.id)
  if (!own) throw reauthenticationNotValid()
  const check = await checkCode(ctx, address, nonce, counted)
  if (!check.isRight(own.token)) throw reauthenticationNotValid()
  // The change may still be rejected, such as for its password.
  await check.keepValid(own.token)
  return own.token.id
}
