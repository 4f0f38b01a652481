import type { H3 } from 'h3'
import type { Deps } from '../../deps.ts'
import { checkCaptcha } from '../../guards/check-captcha.ts'
import { limitClient } from '../../guards/limit-client.ts'
import { openContext } from '../../http/open-context.ts'
import { readInput } from '../../http/read-input.ts'
import { serveEndpoint } from '../../http/serve-endpoint.ts'
import { resendEndpoint } from './resend.endpoint.ts'
import { resend } from './resend.ts'

/** `POST /resend`: sends a confirmation again. */
export function resendRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, resendEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    await limitClient(ctx, resendEndpoint.limit)
    await checkCaptcha(ctx, event, resendEndpoint)
    const input = await readInput(event, resendEndpoint)

    return { message_id: await resend(ctx, input) }
  })
}
