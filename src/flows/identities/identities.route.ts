import type { H3 } from 'h3'
import type { Deps } from '../../deps.ts'
import { limitClient } from '../../guards/limit-client.ts'
import { redirectAnswer } from '../../http/answer.ts'
import { openContext } from '../../http/open-context.ts'
import { readDeparture } from '../../http/read-departure.ts'
import { readBearer, readQuery } from '../../http/read-request.ts'
import { readPathId, serveEndpoint } from '../../http/serve-endpoint.ts'
import { authenticateCaller } from '../../steps/authenticate-caller.ts'
import { beginLinking } from './begin-linking.ts'
import { linkIdentityEndpoint, unlinkIdentityEndpoint } from './identities.endpoint.ts'
import { unlinkIdentity } from './unlink-identity.ts'

/** `GET /user/identities/authorize`: sends the signed-in user to a provider, to link the account there. */
export function linkIdentityRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, linkIdentityEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    const caller = await authenticateCaller(ctx, readBearer(event))
    await limitClient(ctx, linkIdentityEndpoint.limit)

    const { url } = await beginLinking(ctx, caller, readDeparture(event))
    return readQuery(event, 'skip_http_redirect') === 'true' ? { url } : redirectAnswer(302, url)
  })
}

/** `DELETE /user/identities/{identity_id}`: unlinks an identity of the signed-in user. */
export function unlinkIdentityRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, unlinkIdentityEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    const caller = await authenticateCaller(ctx, readBearer(event))

    await unlinkIdentity(ctx, caller, {
      identityId: readPathId(event, 'identity_id'),
      audience: event.req.headers.get('x-jwt-aud'),
    })
    return {}
  })
}
