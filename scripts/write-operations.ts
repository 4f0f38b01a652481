/** Writes the memory of a process into docs/operations.md and docs/index.md: `npm run docs`. */

import { barOf, measuredOn } from './bench-results.ts'
import { pageWithTable, renderTable } from './page-table.ts'

export const renderOperations = (): string => pageWithMemory('operations.md')
export const renderIndex = (): string => pageWithMemory('index.md')

function pageWithMemory(page: string): string {
  const table = renderTable(
    ['Resident memory of a process', `Measured on ${measuredOn}`],
    [
      ['idle, a second after the start', barOf('memory, idle').measured],
      ['at its peak, under the load of the benchmark', barOf('memory, peak').measured],
    ],
  )
  return pageWithTable(page, 'write-operations.ts', table)
}
