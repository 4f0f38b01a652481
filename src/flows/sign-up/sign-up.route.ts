import type { H3 } from 'h3'
import type { Deps } from '../../deps.ts'
import { checkCaptcha } from '../../guards/check-captcha.ts'
import { limitClient } from '../../guards/limit-client.ts'
import { openContext } from '../../http/open-context.ts'
import { presentSession } from '../../http/present-session.ts'
import { presentUser } from '../../http/present-user.ts'
import { readInput } from '../../http/read-input.ts'
import { serveEndpoint } from '../../http/serve-endpoint.ts'
import {
  isAnonymousSignUp,
  requireAnonymousUsers,
  signInAnonymously,
} from './sign-in-anonymously.ts'
import { anonymousSignUpEndpoint, signUpEndpoint } from './sign-up.endpoint.ts'
import { signUp } from './sign-up.ts'

/**
 * `POST /signup`: answers a session, or the user alone while the address waits for confirmation. Without an address, a
 * session of somebody anonymous.
 */
export function signUpRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, signUpEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    await checkCaptcha(ctx, event, signUpEndpoint)
    const input = await readInput(event, signUpEndpoint)
    if (isAnonymousSignUp(input)) {
      requireAnonymousUsers(ctx)
      await limitClient(ctx, anonymousSignUpEndpoint.limit)
      const { user, session } = await signInAnonymously(ctx, input)
      return presentSession(presentUser(user), session)
    }
    await limitClient(ctx, signUpEndpoint.limit)

    const { user, session } = await signUp(ctx, input)
    return session ? presentSession(presentUser(user), session) : presentUser(user)
  })
}
