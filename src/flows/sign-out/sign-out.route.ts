import type { H3 } from 'h3'
import type { Deps } from '../../deps.ts'
import { Answer } from '../../http/answer.ts'
import { openContext } from '../../http/open-context.ts'
import { readBearer, readQuery } from '../../http/read-request.ts'
import { serveEndpoint } from '../../http/serve-endpoint.ts'
import { signOutEndpoint } from './sign-out.endpoint.ts'
import { signOut } from './sign-out.ts'

/** `POST /logout?scope=…`: ends sessions of the caller and answers nothing. The body is not read. */
export function signOutRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, signOutEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    const token = readBearer(event)

    await signOut(ctx, token, readQuery(event, 'scope'))
    return new Answer(204)
  })
}
