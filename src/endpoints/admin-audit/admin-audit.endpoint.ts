import { Text, Whole } from '../../platform/http/inputs.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { operator } from '../http/guards.ts'

interface AuditPage {
  page?: number
  perPage?: number
  query?: string
}

export const listAuditEndpoint = {
  method: 'GET',
  path: '/admin/audit',
  summary: 'Lists the audit entries of all audiences, the newest first.',
  inCode: 'auth.admin.listAudit',
  guards: [operator],
  query: { page: Whole, perPage: Whole, query: Text },
  answers: { 200: 'AuditEntries' },
  errors: [],
} as const satisfies Endpoint<AuditPage>
