import type { AuditAction } from '../../accounts/audit/actions.ts'
import type { AuditRecord } from '../../accounts/audit/audit-record.ts'
import { Text, Whole } from '../../platform/http/inputs.ts'
import type { KeyPageInput } from '../../platform/kit/key-page-input.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { operator } from '../http/guards.ts'

/** A filter for audit entries, and a position in the list. */
export interface ListAuditInput extends KeyPageInput {
  /**
   * A part of the actor's role, address or name, of the action, or of its type (`account`,
   * `factor`, `team`, `token`, `user`), in any letter case. Default: all entries.
   */
  query?: `${'author' | 'action' | 'type'}:${string}` | undefined
  /** The id of the user who acted. */
  actorId?: string | undefined
  /** The id of the user affected by another actor, such as an operator. */
  userId?: string | undefined
  action?: AuditAction | undefined
  /** The earliest time of an entry: a date, or its text in ISO 8601. */
  since?: Date | string | undefined
  /** The time before which the entries were made. */
  until?: Date | string | undefined
}

export interface ListedAudit {
  /** The newest first. */
  entries: AuditRecord[]
  /** The cursor of the next page; null after the oldest entry. */
  nextCursor: string | null
}

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
