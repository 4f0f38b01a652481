import type { Endpoint } from '../../http/endpoint.ts'
import { Text, Whole } from '../../http/inputs.ts'

interface AuditPage {
  page?: number
  perPage?: number
  query?: string
}

export const listAuditEndpoint = {
  method: 'GET',
  path: '/admin/audit',
  summary: 'Lists what happened, of all audiences, the newest first.',
  caller: 'operator',
  query: { page: Whole, perPage: Whole, query: Text },
  answers: { 200: 'AuditEntries' },
  errors: [],
} as const satisfies Endpoint<AuditPage>
