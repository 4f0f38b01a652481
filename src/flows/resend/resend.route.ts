import type { H3 } from 'h3'
import { object } from 'superstruct'
import type { Deps } from '../../deps.ts'
import { limitClient } from '../../guards/limit-client.ts'
import { checkInput } from '../../http/check-input.ts'
import { Text } from '../../http/inputs.ts'
import { openContext } from '../../http/open-context.ts'
import { readJson } from '../../http/read-json.ts'
import { readRedirectTo } from '../../http/read-redirect-to.ts'
import { resend } from './resend.ts'

/** Body of `POST /resend`, as it travels. */
const ResendBody = object({
  type: Text,
  email: Text,
  phone: Text,
  code_challenge: Text,
  code_challenge_method: Text,
})

/** `POST /resend`: sends a confirmation again. */
export function resendRoute(app: H3, deps: Deps): void {
  app.post('/resend', async (event) => {
    const ctx = openContext(deps, event)
    await limitClient(ctx, 'resend')
    const body = checkInput(await readJson(event), ResendBody)

    const messageId = await resend(ctx, {
      type: body.type,
      email: body.email,
      phone: body.phone,
      codeChallenge: body.code_challenge,
      codeChallengeMethod: body.code_challenge_method,
      redirect: readRedirectTo(event),
    })
    return { message_id: messageId }
  })
}
