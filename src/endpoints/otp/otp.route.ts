import { validationFailed } from '../../platform/errors/request-errors.ts'
import { implement } from '../http/implement.ts'
import { magicLinkEndpoint, otpEndpoint } from './otp.endpoint.ts'
import { requestOtp } from './request-otp.ts'

export const otpRoutes = [
  implement(otpEndpoint, {
    run: async ({ ctx, input }) => ({ messageId: await requestOtp(ctx, input) }),
    present: ({ messageId }, { input }) => (input.phone ? { message_id: messageId } : {}),
  }),
  implement(magicLinkEndpoint, {
    run: async ({ ctx, input }) => {
      if (!input.email) throw validationFailed('email: Password recovery requires an email', 422)
      await requestOtp(ctx, input)
    },
    present: () => ({}),
  }),
] as const
