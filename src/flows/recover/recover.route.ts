import type { H3 } from 'h3'
import type { Deps } from '../../deps.ts'
import { checkCaptcha } from '../../guards/check-captcha.ts'
import { limitClient } from '../../guards/limit-client.ts'
import { openContext } from '../../http/open-context.ts'
import { readInput } from '../../http/read-input.ts'
import { serveEndpoint } from '../../http/serve-endpoint.ts'
import { recoverEndpoint } from './recover.endpoint.ts'
import { requestRecovery } from './request-recovery.ts'

/** `POST /recover`: answers `{}` whether or not the address is known. */
export function recoverRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, recoverEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    await limitClient(ctx, recoverEndpoint.limit)
    await checkCaptcha(ctx, event, recoverEndpoint)
    const input = await readInput(event, recoverEndpoint)

    await requestRecovery(ctx, input)
    return {}
  })
}
