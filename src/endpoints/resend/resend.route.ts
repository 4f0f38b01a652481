import { implement } from '../http/implement.ts'
import { resendEndpoint } from './resend.endpoint.ts'
import { resendMessage } from './resend-message.ts'

export const resendRoutes = [
  implement(resendEndpoint, {
    run: async ({ ctx, input }) => ({ messageId: await resendMessage(ctx, input) }),
    present: ({ messageId }) => ({ message_id: messageId }),
  }),
] as const
