/** Writes the table of bounded settings into docs/security.md: `npm run docs`. */

import { settings } from '../src/platform/config/settings.ts'
import { code, pageWithTable, renderTable } from './page-table.ts'

export function renderBounds(): string {
  const rows = settings.flatMap(({ path, bounds }) =>
    bounds ? [[code(path), String(bounds.unusual), String(bounds.ceiling), bounds.source]] : [],
  )
  const table = renderTable(['Setting', 'Warning above', 'Rejected above', 'Source'], rows)
  return pageWithTable('security.md', 'write-bounds.ts', table)
}
