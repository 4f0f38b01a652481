import type { AuditNote } from '../../audit/audit-note.ts'

/** What was done to users in a transaction: the log is told of it once that is committed. */
export interface Act {
  note: AuditNote
  userIds: ReadonlySet<string>
}

export function logActs(acts: readonly Act[]): void {
  for (const { note, userIds } of acts) note.logAbout(userIds)
}
