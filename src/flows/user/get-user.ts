import type { AuthContext } from '../../deps.ts'
import { validationFailed } from '../../errors/request-errors.ts'
import { authenticateCaller } from '../../steps/authenticate-caller.ts'
import type { Account } from '../../users/account.ts'

/**
 * The signed-in user.
 *
 * @param requestedAudience an audience that the request asks for; the token must be for it.
 * @throws AuthError as `authenticateCaller`, and `validation_failed` when the audiences differ.
 */
export async function getUser(
  ctx: AuthContext,
  token: string | null,
  requestedAudience?: string | null,
): Promise<Account> {
  const { account, claims } = await authenticateCaller(ctx, token)
  const [audience] = [claims.aud].flat()
  if (!audience || (requestedAudience && requestedAudience !== audience)) {
    throw validationFailed("Token audience doesn't match request audience")
  }
  return account
}
