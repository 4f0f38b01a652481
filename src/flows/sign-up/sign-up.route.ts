import type { H3 } from 'h3'
import { object } from 'superstruct'
import type { Deps } from '../../deps.ts'
import { limitClient } from '../../guards/limit-client.ts'
import { maxBodyBytes } from '../../http/body-limit.ts'
import { checkInput } from '../../http/check-input.ts'
import { Metadata, Text } from '../../http/inputs.ts'
import { openContext } from '../../http/open-context.ts'
import { presentSession } from '../../http/present-session.ts'
import { presentUser } from '../../http/present-user.ts'
import { readJson } from '../../http/read-json.ts'
import { readRedirectTo } from '../../http/read-redirect-to.ts'
import { signUp } from './sign-up.ts'

/** Body of `POST /signup`, as it travels. */
const SignUpBody = object({
  email: Text,
  phone: Text,
  password: Text,
  data: Metadata,
  channel: Text,
  code_challenge: Text,
  code_challenge_method: Text,
})

/** `POST /signup`: answers a session, or the user alone while the address waits for confirmation. */
export function signUpRoute(app: H3, deps: Deps): void {
  app.post('/signup', async (event) => {
    const ctx = openContext(deps, event)
    const body = checkInput(await readJson(event, maxBodyBytes), SignUpBody)
    await limitClient(ctx, 'signup')

    const { account, session } = await signUp(ctx, {
      email: body.email,
      phone: body.phone,
      password: body.password,
      data: body.data,
      channel: body.channel,
      codeChallenge: body.code_challenge,
      codeChallengeMethod: body.code_challenge_method,
      redirect: readRedirectTo(event),
    })
    return session ? presentSession(presentUser(account), session) : presentUser(account)
  })
}
