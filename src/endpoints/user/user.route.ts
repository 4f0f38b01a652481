import type { AuthContext } from '../../accounts/auth-context.ts'
import { requireCallerRow } from '../../accounts/callers/authenticate-caller.ts'
import { presentUser, presentUserRow } from '../../accounts/users/present-user.ts'
import { toUser, type UserRow } from '../../accounts/users/user-row.ts'
import type { AccessTokenClaims } from '../../credentials/access-tokens/claims.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { implement, implementSeparately } from '../http/implement.ts'
import { deleteOwnUser } from './delete-own-user.ts'
import { updateOwnUser } from './update-own-user.ts'
import { deleteOwnUserEndpoint, getUserEndpoint, updateUserEndpoint } from './user.endpoint.ts'

export const userRoutes = [
  implementSeparately(getUserEndpoint, {
    handle:
      () =>
      async ({ ctx, event, claims }) =>
        presentUserRow(await getUser(ctx, claims, event.req.headers.get('x-jwt-aud'))),
    run: async ({ ctx, claims }) => toUser(await getUser(ctx, claims)),
  }),
  implement(updateUserEndpoint, {
    run: ({ ctx, caller, input }) => updateOwnUser(ctx, caller, input),
    present: presentUser,
  }),
  implement(deleteOwnUserEndpoint, {
    run: ({ ctx, caller, input }) => deleteOwnUser(ctx, caller, input),
    present: () => ({}),
  }),
] as const

/**
 * Returns the signed-in user, as stored.
 *
 * @param requestedAudience the audience of the request; the token must be for it.
 * @throws AuthError as `requireCaller`, and `validation_failed` when the audiences differ.
 */
async function getUser(
  ctx: AuthContext,
  claims: AccessTokenClaims,
  requestedAudience?: string | null,
): Promise<UserRow> {
  const { user } = await requireCallerRow(ctx, claims, { acceptsClients: true })
  const [audience] = [claims.aud].flat()
  if (!audience || (requestedAudience && requestedAudience !== audience)) {
    throw validationFailed("Token audience doesn't match request audience")
  }
  return user
}
