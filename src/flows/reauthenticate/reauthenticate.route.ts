import type { H3 } from 'h3'
import type { Deps } from '../../deps.ts'
import { openContext } from '../../http/open-context.ts'
import { readBearer } from '../../http/read-request.ts'
import { serveEndpoint } from '../../http/serve-endpoint.ts'
import { authenticateCaller } from '../../steps/authenticate-caller.ts'
import { reauthenticateEndpoint } from './reauthenticate.endpoint.ts'
import { reauthenticate } from './reauthenticate.ts'

/** `GET /reauthenticate`: sends the signed-in user a nonce. */
export function reauthenticateRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, reauthenticateEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    const caller = await authenticateCaller(ctx, readBearer(event))

    return { message_id: await reauthenticate(ctx, caller) }
  })
}
