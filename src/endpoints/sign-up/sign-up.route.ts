import { presentSignedIn } from '../../accounts/sign-in/issue-session.ts'
import { presentUser } from '../../accounts/users/present-user.ts'
import { implement, onOnePath } from '../http/implement.ts'
import { signInAnonymously } from './sign-in-anonymously.ts'
import { anonymousSignUpEndpoint, signUpEndpoint } from './sign-up.endpoint.ts'
import { signUp } from './sign-up.ts'

const signUpByAddress = implement(signUpEndpoint, {
  run: ({ ctx, input }) => signUp(ctx, input),
  // Without a session while the address is unconfirmed.
  present: ({ user, session }) =>
    session ? presentSignedIn({ user, session }) : presentUser(user),
})

const anonymousSignUp = implement(anonymousSignUpEndpoint, {
  run: ({ ctx, input }) => signInAnonymously(ctx, input),
  present: presentSignedIn,
})

/** Only the body distinguishes the two kinds of sign-up, so one endpoint serves both. */
export const signUpRoutes = [
  onOnePath([signUpByAddress, anonymousSignUp], () => signUpByAddress),
] as const
