import {
  type ExportedRow,
  exported,
  personalTable,
  withheld,
} from '../../platform/sql/personal-table.ts'
import { actionOf } from './actions.ts'
import type { AuditEntryRow } from './audit-row.ts'

/** The audit entries whose actor or affected user is the person. */
export const personalEntries = personalTable<AuditEntryRow>()({
  name: 'audit_entries',
  belongsBy: { ids: ['actor_id', 'user_id'] },
  columns: {
    id: exported,
    created_at: exported,
    action: exported,
    actor_id: exported,
    actor_role: exported,
    user_id: exported,
    traits: exported,
    ip: exported,
    request_id: exported,
    occurrences: withheld(
      'null in all entries about a user: it counts requests for addresses without an account',
    ),
  },
  erasure: {
    rows: 'kept',
    cleared: ['actor_id', 'user_id', 'traits', 'ip', 'request_id'],
    kept: {
      id: 'consists of a time and random bits',
      created_at: 'the time of the event; it identifies no user',
      action: 'the kind of the event; it identifies no user',
      actor_role: 'the role of an operator, not of the user',
      occurrences: 'null in all entries about a user',
    },
  },
})

type Row = ExportedRow<AuditEntryRow, (typeof personalEntries)['columns']>

/**
 * Returns an entry for the export. The network address of an operator is the operator's, and is
 * left out.
 */
export const toExportedEntry = (row: Row) => ({
  ...row,
  action: actionOf(row.action),
  ip: row.actorRole === null ? row.ip : null,
})
