import type { AuditRecord } from '../../audit/audit-record.ts'
import type { KeyPageInput } from '../../kit/key-page-input.ts'

/** Which entries are listed. */
export interface ListAuditInput extends KeyPageInput {
  /**
   * A part of the role, address or name of who acted, of the action, or of its kind (`account`, `team`,
   * `token`, `user`), in any letter case. Default: everything.
   */
  query?: `${'author' | 'action' | 'type'}:${string}` | undefined
}

export interface ListedAudit {
  /** The newest first. */
  entries: AuditRecord[]
  /** For the next page; null behind the oldest entry. */
  nextCursor: string | null
}
