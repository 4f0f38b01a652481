/** Writes the cost of telemetry into docs/telemetry.md: `npm run docs`. */

import { barOf, measuredOn } from './bench-results.ts'
import { pageWithTable, renderTable } from './page-table.ts'

export function renderTelemetry(): string {
  const { measured, limit, isMissed } = barOf('refresh: CPU with telemetry, against without')
  const table = renderTable(
    ['CPU of a refresh, with traces and metrics exported, against one without', 'Limit'],
    [[`${measured}, measured on ${measuredOn}`, isMissed ? `${limit}: exceeded` : limit]],
  )
  return pageWithTable('telemetry.md', 'write-telemetry.ts', table)
}
