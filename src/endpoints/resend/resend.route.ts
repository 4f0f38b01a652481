import { implement } from '../http/implement.ts'
import { resendEndpoint } from './resend.endpoint.ts'
import { resend } from './resend.ts'

export const resendRoutes = [
  implement(resendEndpoint, {
    run: async ({ ctx, input }) => ({ messageId: await resend(ctx, input) }),
    present: ({ messageId }) => ({ message_id: messageId }),
  }),
] as const
