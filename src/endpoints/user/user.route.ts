import { presentUser, presentUserRow } from '../../accounts/users/present-user.ts'
import { toUser } from '../../accounts/users/user-row.ts'
import { implement, implementSeparately } from '../http/implement.ts'
import { deleteOwnUser } from './delete-own-user.ts'
import { getUser } from './get-user.ts'
import { updateUser } from './update-user.ts'
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
    run: ({ ctx, caller, input }) => updateUser(ctx, caller, input),
    present: presentUser,
  }),
  implement(deleteOwnUserEndpoint, {
    run: ({ ctx, caller, input }) => deleteOwnUser(ctx, caller, input),
    present: () => ({}),
  }),
] as const
