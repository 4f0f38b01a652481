import type { H3 } from 'h3'
import type { Deps } from '../../deps.ts'
import { openContext } from '../../http/open-context.ts'
import { presentUser } from '../../http/present-user.ts'
import { readInput } from '../../http/read-input.ts'
import { readBearer } from '../../http/read-request.ts'
import { serveEndpoint } from '../../http/serve-endpoint.ts'
import { authenticateAdmin } from '../../steps/authenticate-admin.ts'
import { inviteEndpoint } from './invite.endpoint.ts'
import { invite } from './invite.ts'

/** `POST /invite`: an operator invites somebody by mail. */
export function inviteRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, inviteEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    const admin = await authenticateAdmin(ctx, readBearer(event))
    const input = await readInput(event, inviteEndpoint)

    return presentUser(await invite(ctx, admin, input))
  })
}
