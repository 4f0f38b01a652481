import type { H3 } from 'h3'
import type { Deps } from '../../deps.ts'
import { limitClient } from '../../guards/limit-client.ts'
import { openContext } from '../../http/open-context.ts'
import { presentUser, presentUserRow } from '../../http/present-user.ts'
import { readInput } from '../../http/read-input.ts'
import { readBearer } from '../../http/read-request.ts'
import { serveEndpoint } from '../../http/serve-endpoint.ts'
import { authenticateCaller } from '../../steps/authenticate-caller.ts'
import { deleteOwnUser } from './delete-own-user.ts'
import { getUser } from './get-user.ts'
import { updateUser } from './update-user.ts'
import { deleteOwnUserEndpoint, getUserEndpoint, updateUserEndpoint } from './user.endpoint.ts'

/** `GET /user`: the signed-in user. */
export function getUserRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, getUserEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    const token = readBearer(event)

    const user = await getUser(ctx, token, event.req.headers.get('x-jwt-aud'))
    return presentUserRow(user)
  })
}

/** `PUT /user`: changes the signed-in user. */
export function updateUserRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, updateUserEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    const caller = await authenticateCaller(ctx, readBearer(event))
    await limitClient(ctx, updateUserEndpoint.limit)
    const input = await readInput(event, updateUserEndpoint)

    return presentUser(await updateUser(ctx, caller, input))
  })
}

/** `DELETE /user`: erases the signed-in user. There only where the configuration says so. */
export function deleteUserRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, deleteOwnUserEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    const caller = await authenticateCaller(ctx, readBearer(event))
    await limitClient(ctx, deleteOwnUserEndpoint.limit)
    const proof = await readInput(event, deleteOwnUserEndpoint)

    await deleteOwnUser(ctx, caller, proof)
    return {}
  })
}
