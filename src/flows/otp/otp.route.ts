import type { H3 } from 'h3'
import type { Deps } from '../../deps.ts'
import { validationFailed } from '../../errors/request-errors.ts'
import { checkCaptcha } from '../../guards/check-captcha.ts'
import { limitClient } from '../../guards/limit-client.ts'
import { openContext } from '../../http/open-context.ts'
import { readInput } from '../../http/read-input.ts'
import { serveEndpoint } from '../../http/serve-endpoint.ts'
import { magicLinkEndpoint, otpEndpoint } from './otp.endpoint.ts'
import { requestOtp } from './request-otp.ts'

/** `POST /otp`: sends a link or code that signs in. */
export function otpRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, otpEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    await limitClient(ctx, otpEndpoint.limit)
    await checkCaptcha(ctx, event, otpEndpoint)
    const input = await readInput(event, otpEndpoint)

    const messageId = await requestOtp(ctx, input)
    return input.phone ? { message_id: messageId } : {}
  })
}

/** `POST /magiclink`: what `POST /otp` does for an email. */
export function magicLinkRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, magicLinkEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    await limitClient(ctx, magicLinkEndpoint.limit)
    await checkCaptcha(ctx, event, magicLinkEndpoint)
    const input = await readInput(event, magicLinkEndpoint)
    if (!input.email) throw validationFailed('email: Password recovery requires an email', 422)

    await requestOtp(ctx, input)
    return {}
  })
}
