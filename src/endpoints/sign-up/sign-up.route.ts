import { presentSignedIn } from '../../accounts/sign-in/issue-session.ts'
import { presentUser } from '../../accounts/users/present-user.ts'
import { implement, implementSeparately, onOnePath } from '../http/implement.ts'
import { limitClient } from '../http/limit-client.ts'
import {
  isAnonymousSignUp,
  requireAnonymousUsers,
  signInAnonymously,
} from './sign-in-anonymously.ts'
import { anonymousSignUpEndpoint, signUpEndpoint } from './sign-up.endpoint.ts'
import { signUp } from './sign-up.ts'

/**
 * Only the body distinguishes the two kinds of sign-up, so this endpoint serves the requests of
 * both.
 */
const signUpByAddress = implementSeparately(signUpEndpoint, {
  handle:
    ({ deps: { config } }) =>
    async ({ ctx, input }) => {
      const takesAnonymous = config.anonymousUsers.enabled
      if (isAnonymousSignUp(input)) {
        requireAnonymousUsers(ctx)
        await limitClient(ctx, 'anonymous')
        return presentSignedIn(await signInAnonymously(ctx, input))
      }
      if (takesAnonymous) await limitClient(ctx, 'signup')

      const { user, session } = await signUp(ctx, input)
      // Without a session while the address is unconfirmed.
      return session ? presentSignedIn({ user, session }) : presentUser(user)
    },
  run: ({ ctx, input }) => signUp(ctx, input),
})

const anonymousSignUp = implement(anonymousSignUpEndpoint, {
  run: ({ ctx, input }) => signInAnonymously(ctx, input),
  present: presentSignedIn,
})

export const signUpRoutes = [
  onOnePath([signUpByAddress, anonymousSignUp], () => signUpByAddress),
] as const
