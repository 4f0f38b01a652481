import { required, Text } from '../../platform/http/inputs.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { operator } from '../http/guards.ts'

interface DecisionsQuery {
  requestId: string
}

export const listDecisionsEndpoint = {
  method: 'GET',
  path: '/admin/decisions',
  summary: 'Returns the decisions about a request in the last day, with their rules.',
  guards: [operator],
  query: { requestId: required(Text) },
  answers: { 200: 'Decisions' },
  errors: [],
} as const satisfies Endpoint<DecisionsQuery>
