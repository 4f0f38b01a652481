/** Writes rows with headings on a terminal; elsewhere, for programs, rows separated by tabs. */
export function printTable(headings: readonly string[], rows: readonly string[][]): void {
  const lines = process.stdout.isTTY ? aligned([[...headings], ...rows]) : rows.map(tabbed)
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))
}

const tabbed = (cells: string[]): string => cells.map(oneLine).join('\t')

function aligned(rows: string[][]): string[] {
  const widthOf = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0))
  const widths = rows[0]?.map((_heading, column) => widthOf(column)) ?? []
  return rows.map((row) =>
    row
      .map((cell, column) => oneLine(cell).padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** Escapes external text, which must neither break a line nor control the terminal. */
const oneLine = (cell: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are removed
  cell.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, ' ')
