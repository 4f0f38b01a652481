/** Writes the memory of a process into docs/operations.md: `npm run docs`. */

import { barOf, measuredOn } from './bench-results.ts'
import { pageWithTable, renderTable } from './page-table.ts'

export function renderOperations(): string {
  const table = renderTable(
    ['Resident memory of a process', `Measured on ${measuredOn}`],
    [
      ['idle, a second after the start', barOf('memory, idle').measured],
      ['at its peak, under the load of the benchmark', barOf('memory, peak').measured],
    ],
  )
  return pageWithTable('operations.md', 'write-operations.ts', table)
}
