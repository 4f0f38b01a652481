import type { AuthContext } from '../../deps.ts'
import { countCodeAttempt } from '../../one-time-tokens/count-code-attempt.sql.ts'
import { isCodeOf } from '../../one-time-tokens/one-time-token-row.ts'
import { reauthenticationNotValid } from '../../passwords/password-errors.ts'
import { countGuess } from '../../steps/count-guess.ts'
import type { Account } from '../../users/account.ts'
import { type StoredAccountRow, storedAccountColumns } from '../../users/find-account.sql.ts'

/**
 * The token of a nonce that `/reauthenticate` sent to the user. What it allows has to spend it.
 *
 * @throws AuthError `reauthentication_not_valid` (422).
 */
export async function requireNonce(
  ctx: AuthContext,
  { id, email, phone, audience }: Account,
  nonce: string,
): Promise<string> {
  const sentTo = email ?? phone
  if (!sentTo || !(await countGuess(ctx, 'code', sentTo))) throw reauthenticationNotValid()
  const columns = () => storedAccountColumns(ctx.sql, 'u')
  const { candidates } = await countCodeAttempt<StoredAccountRow>(ctx.sql, columns, {
    sentTo,
    audience,
    purposes: ['reauthentication'],
    // Nobody without the session gets here, and nobody outside uses its attempts up.
    triedFrom: 'session',
    now: ctx.clock.now(),
  })
  const own = candidates.find(({ token }) => token.user_id === id)
  if (!own || !isCodeOf(ctx.roots, own.token, nonce)) throw reauthenticationNotValid()
  return own.token.id
}
