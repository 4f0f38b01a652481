import { presentDecision } from '../../accounts/decisions/present-decision.ts'
import { required, Text } from '../../platform/http/inputs.ts'
import { readQuery } from '../../platform/http/read-request.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { operator } from '../http/guards.ts'
import { implementSeparately } from '../http/implement.ts'
import { explainRequest } from './explain-request.ts'

interface DecisionsQuery {
  requestId: string
}

const listDecisionsEndpoint = {
  method: 'GET',
  path: '/admin/decisions',
  summary: 'Returns the decisions about a request in the last day, with their rules.',
  guards: [operator],
  query: { requestId: required(Text) },
  answers: { 200: 'Decisions' },
  errors: [],
} as const satisfies Endpoint<DecisionsQuery>

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
