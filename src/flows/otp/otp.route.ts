import type { H3 } from 'h3'
import { object } from 'superstruct'
import type { Deps } from '../../deps.ts'
import { validationFailed } from '../../errors/request-errors.ts'
import { limitClient } from '../../guards/limit-client.ts'
import { maxBodyBytes } from '../../http/body-limit.ts'
import { checkInput } from '../../http/check-input.ts'
import { Flag, Metadata, Text } from '../../http/inputs.ts'
import { openContext } from '../../http/open-context.ts'
import { readJson } from '../../http/read-json.ts'
import { readRedirectTo } from '../../http/read-redirect-to.ts'
import { requestOtp } from './request-otp.ts'

/** Body of `POST /otp`, as it travels. */
const OtpBody = object({
  email: Text,
  phone: Text,
  create_user: Flag,
  data: Metadata,
  channel: Text,
  code_challenge: Text,
  code_challenge_method: Text,
})

/** `POST /otp`: sends a link or code that signs in. */
export function otpRoute(app: H3, deps: Deps): void {
  app.post('/otp', async (event) => {
    const ctx = openContext(deps, event)
    await limitClient(ctx, 'otp')
    const body = checkInput(await readJson(event, maxBodyBytes), OtpBody)

    const messageId = await requestOtp(ctx, {
      email: body.email,
      phone: body.phone,
      createUser: body.create_user,
      data: body.data,
      channel: body.channel,
      codeChallenge: body.code_challenge,
      codeChallengeMethod: body.code_challenge_method,
      redirect: readRedirectTo(event),
    })
    return body.phone ? { message_id: messageId } : {}
  })
}

/** Body of `POST /magiclink`, as it travels. */
const MagicLinkBody = object({
  email: Text,
  data: Metadata,
  code_challenge: Text,
  code_challenge_method: Text,
})

/** `POST /magiclink`: what `POST /otp` does for an email. */
export function magicLinkRoute(app: H3, deps: Deps): void {
  app.post('/magiclink', async (event) => {
    const ctx = openContext(deps, event)
    await limitClient(ctx, 'magiclink')
    const body = checkInput(await readJson(event, maxBodyBytes), MagicLinkBody)
    if (!body.email) throw validationFailed('email: Password recovery requires an email', 422)

    await requestOtp(ctx, {
      email: body.email,
      data: body.data,
      codeChallenge: body.code_challenge,
      codeChallengeMethod: body.code_challenge_method,
      redirect: readRedirectTo(event),
    })
    return {}
  })
}
