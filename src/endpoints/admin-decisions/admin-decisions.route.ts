import { presentDecision } from '../../accounts/decisions/present-decision.ts'
import { readQuery } from '../../platform/http/read-request.ts'
import { implementSeparately } from '../http/implement.ts'
import { listDecisionsEndpoint } from './admin-decisions.endpoint.ts'
import { explainRequest } from './explain-request.ts'

export const adminDecisionsRoutes = [
  implementSeparately(listDecisionsEndpoint, {
    handle:
      () =>
      async ({ ctx, event }) => {
        const decisions = await explainRequest(ctx, readQuery(event, 'request_id'))
        return decisions.map(presentDecision)
      },
  }),
] as const
