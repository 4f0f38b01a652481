import type { Endpoint } from '../../http/endpoint.ts'
import { required, Text } from '../../http/inputs.ts'

interface DecisionsQuery {
  requestId: string
}

export const listDecisionsEndpoint = {
  method: 'GET',
  path: '/admin/decisions',
  summary: 'Tells what was decided about a request in the last day, and by which rule.',
  caller: 'operator',
  query: { requestId: required(Text) },
  answers: { 200: 'Decisions' },
  errors: [],
} as const satisfies Endpoint<DecisionsQuery>
