import type { AuditAction } from '../../accounts/audit/actions.ts'
import type { AuditRecord } from '../../accounts/audit/audit-record.ts'
import type { KeyPageInput } from '../../platform/kit/key-page-input.ts'

/** Which entries are listed. */
export interface ListAuditInput extends KeyPageInput {
  /**
   * A part of the role, address or name of who acted, of the action, or of its kind (`account`, `team`,
   * `token`, `user`), in any letter case. Default: everything.
   */
  query?: `${'author' | 'action' | 'type'}:${string}` | undefined
  /** The id of the user who acted. */
  actorId?: string | undefined
  /** The id of the user whom somebody else did something to, such as an operator. */
  userId?: string | undefined
  action?: AuditAction | undefined
  /** What happened from then on: a date, or its text in ISO 8601. */
  since?: Date | string | undefined
  /** What happened before then. */
  until?: Date | string | undefined
}

export interface ListedAudit {
  /** The newest first. */
  entries: AuditRecord[]
  /** For the next page; null behind the oldest entry. */
  nextCursor: string | null
}
