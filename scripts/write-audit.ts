/** Writes the table of actions into docs/audit.md: `npm run docs`. */

import { auditActions } from '../src/accounts/audit/actions.ts'
import { code, pageWithTable, renderTable } from './page-table.ts'

export function renderAudit(): string {
  const rows = Object.entries(auditActions).map(([action, { logType, recordedWhen }]) => [
    code(action),
    code(logType),
    recordedWhen,
  ])
  const table = renderTable(['Action', 'Kind', 'Recorded when'], rows)
  return pageWithTable('audit.md', 'write-audit.ts', table)
}
