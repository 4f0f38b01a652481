import type { H3 } from 'h3'
import type { Deps } from '../../deps.ts'
import { Answer } from '../../http/answer.ts'
import { openContext } from '../../http/open-context.ts'
import { presentPasskey } from '../../http/present-passkey.ts'
import { readBearer } from '../../http/read-request.ts'
import { readPathId, serveEndpoint } from '../../http/serve-endpoint.ts'
import { authenticateAdmin } from '../../steps/authenticate-admin.ts'
import { deletePasskeyByIdEndpoint, listPasskeysByIdEndpoint } from './admin-passkeys.endpoint.ts'
import { listUserPasskeys, removeUserPasskey } from './user-passkeys.ts'

/** `GET /admin/users/{user_id}/passkeys` */
export function listPasskeysByIdRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, listPasskeysByIdEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    await authenticateAdmin(ctx, readBearer(event))

    const passkeys = await listUserPasskeys(ctx, readPathId(event, 'user_id'))
    return passkeys.map(presentPasskey)
  })
}

/** `DELETE /admin/users/{user_id}/passkeys/{passkey_id}` */
export function deletePasskeyByIdRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, deletePasskeyByIdEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    const admin = await authenticateAdmin(ctx, readBearer(event))

    await removeUserPasskey(ctx, admin, {
      userId: readPathId(event, 'user_id'),
      passkeyId: readPathId(event, 'passkey_id'),
    })
    return new Answer(204)
  })
}
