import type { H3 } from 'h3'
import type { Deps } from '../../deps.ts'
import { openContext } from '../../http/open-context.ts'
import { presentDecision } from '../../http/present-decision.ts'
import { readBearer, readQuery } from '../../http/read-request.ts'
import { serveEndpoint } from '../../http/serve-endpoint.ts'
import { authenticateAdmin } from '../../steps/authenticate-admin.ts'
import { listDecisionsEndpoint } from './admin-decisions.endpoint.ts'
import { explainRequest } from './explain-request.ts'

/** `GET /admin/decisions`: what was decided about a request in the last day, and by which rule. */
export function listDecisionsRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, listDecisionsEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    await authenticateAdmin(ctx, readBearer(event))
    const decisions = await explainRequest(ctx, readQuery(event, 'request_id'))
    return decisions.map(presentDecision)
  })
}
