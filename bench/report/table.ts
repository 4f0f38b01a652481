/** A table whose first row names its columns. */
export type Table = string[][]

/**
 * Formats a table as Markdown that is legible in a terminal: columns aligned, numbers to the right.
 */
export function printTable([head = [], ...rows]: Table): string {
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((row) => row[column]?.length ?? 0)),
  )
  const isNumeric = head.map((_, column) => rows.every((row) => numeric.test(row[column] ?? '')))
  const line = (row: string[]) => {
    const cells = widths.map((width, column) => {
      const cell = row[column] ?? ''
      return isNumeric[column] ? cell.padStart(width) : cell.padEnd(width)
    })
    return `| ${cells.join(' | ')} |`
  }
  const rule = widths.map(
    (width, column) => `${'-'.repeat(width - 1)}${isNumeric[column] ? ':' : '-'}`,
  )
  return [line(head), line(rule), ...rows.map(line)].join('\n')
}

const numeric = /^(-?[\d.,]+|–)?$/

/** Formats a number with its significant digits. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return '–'
  const size = Math.abs(value)
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2)
}
