import type { AuthContext } from '../../deps.ts'
import { validationFailed } from '../../errors/request-errors.ts'
import { requireCallerRow, verifyBearer } from '../../steps/authenticate-caller.ts'
import type { UserRow } from '../../users/user-row.ts'

/**
 * The signed-in user, as stored.
 *
 * @param requestedAudience an audience that the request asks for; the token must be for it.
 * @throws AuthError as `authenticateCaller`, and `validation_failed` when the audiences differ.
 */
export async function getUser(
  ctx: AuthContext,
  token: string | null,
  requestedAudience?: string | null,
): Promise<UserRow> {
  const claims = await verifyBearer(ctx, token)
  const { user } = await requireCallerRow(ctx, claims)
  const [audience] = [claims.aud].flat()
  if (!audience || (requestedAudience && requestedAudience !== audience)) {
    throw validationFailed("Token audience doesn't match request audience")
  }
  return user
}
