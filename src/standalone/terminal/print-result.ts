import { controlsInJson, escapeControls } from '../../platform/kit/escape-controls.ts'

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

/** Writes rows with headings on a terminal; elsewhere, for programs, rows separated by tabs. */
export function printTable(headings: readonly string[], rows: readonly string[][]): void {
  const lines = process.stdout.isTTY ? aligned([[...headings], ...rows]) : rows.map(tabbed)
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))
}

const tabbed = (cells: string[]): string => cells.map(oneLineForTerminal).join('\t')

function aligned(rows: string[][]): string[] {
  const widthOf = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0))
  const widths = rows[0]?.map((_heading, column) => widthOf(column)) ?? []
  return rows.map((row) =>
    row
      .map((cell, column) => oneLineForTerminal(cell).padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

const inLine = new RegExp(`[\\u0000-\\u001f${controlsInJson}]`, 'g')
const inLines = new RegExp(`[\\u0000-\\u0008\\u000b-\\u001f${controlsInJson}]`, 'g')

/** Escapes external text, which must neither break a line nor control the terminal. */
export const oneLineForTerminal = (text: string): string => text.replace(inLine, ' ')

/** Returns a value as JSON without control characters: it may contain texts of users. */
export const jsonForTerminal = (value: unknown): string =>
  escapeControls(JSON.stringify(value, null, 2))

/** Removes control sequences, and changes of its direction, from text of several lines. */
export const textForTerminal = (text: string): string => text.replace(inLines, ' ')
