import { implement } from '../http/implement.ts'
import { reauthenticateEndpoint } from './reauthenticate.endpoint.ts'
import { reauthenticate } from './reauthenticate.ts'

export const reauthenticateRoutes = [
  implement(reauthenticateEndpoint, {
    run: async ({ ctx, caller }) => ({ messageId: await reauthenticate(ctx, caller) }),
    present: ({ messageId }) => ({ message_id: messageId }),
  }),
] as const
