import { presentUser } from '../../accounts/users/present-user.ts'
import { implementSeparately } from '../http/implement.ts'
import { generateLinkEndpoint } from './generate-link.endpoint.ts'
import { generateLink } from './generate-link.ts'

export const generateLinkRoutes = [
  implementSeparately(generateLinkEndpoint, {
    handle:
      () =>
      async ({ ctx, admin, input: { redirectTo, redirect, ...wanted } }) => {
        const link = await generateLink(ctx, admin, {
          ...wanted,
          redirect: { ...redirect, ...(redirectTo && { target: redirectTo }) },
        })
        return {
          ...presentUser(link.user),
          action_link: link.actionLink,
          email_otp: link.emailOtp,
          hashed_token: link.hashedToken,
          verification_type: link.verificationType,
          redirect_to: link.redirectTo,
        }
      },
    run: ({ ctx, admin, input }) => generateLink(ctx, admin, input),
  }),
] as const
