import { printTable } from './print-table.ts'
import { jsonForTerminal } from './terminal-text.ts'

export interface CommandResult {
  /** The output with `--json`. */
  value: unknown
  columns: readonly string[]
  rows: string[][]
}

/** Prints a result as JSON or as a table. */
export function printResult(
  { value, columns, rows }: CommandResult,
  { json }: { json: boolean },
): void {
  if (json) process.stdout.write(`${jsonForTerminal(value)}\n`)
  else printTable(columns, rows)
}

/** Describes an object by a line for each property that has a value. */
export const describeProperties = (value: object): CommandResult => ({
  value,
  columns: ['property', 'value'],
  rows: Object.entries(value).flatMap(([name, one]) => {
    const text = textOf(one)
    return text === '' ? [] : [[name, text]]
  }),
})

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.join(' ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
