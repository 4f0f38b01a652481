import { presentUser } from '../../accounts/users/present-user.ts'
import { implement } from '../http/implement.ts'
import { inviteEndpoint } from './invite.endpoint.ts'
import { invite } from './invite.ts'

export const inviteRoutes = [
  implement(inviteEndpoint, {
    run: ({ ctx, admin, input }) => invite(ctx, admin, input),
    present: presentUser,
  }),
] as const
