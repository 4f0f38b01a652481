import { parse } from 'csv-parse/sync'
import { UsageError } from '../command-error.ts'
import { type Line, maxLineBytes } from './read-lines.ts'

/** One record of a CSV file: its cells by column name, or why it cannot be read. */
export type CsvRecord = { line: number } & ({ cells: Map<string, string> } | { problem: string })

/**
 * Reads CSV whose first line names the columns, separated by commas, semicolons or tabs.
 *
 * Quotes are matched line by line, so that a quote that is not closed costs one record and not the
 * rest of the file.
 *
 * @throws UsageError if the first line cannot be read.
 * @see RFC 4180
 */
export async function* csvRecords(lines: AsyncIterable<Line>): AsyncGenerator<CsvRecord> {
  let header: { names: string[]; delimiter: string } | undefined
  for await (const record of joinQuoted(lines)) {
    if (header) yield toRecord(record, header)
    else header = readHeader(record)
  }
}

/** Joins lines whose break is inside quotes; skips empty ones. */
async function* joinQuoted(lines: AsyncIterable<Line>): AsyncGenerator<Line> {
  const source = lines[Symbol.asyncIterator]()
  // Lines that were read as part of a record whose quote was not closed, the next one last.
  const returned: Line[] = []
  const next = async (): Promise<Line | undefined> => {
    const line = returned.pop()
    if (line) return line
    const { value, done } = await source.next()
    return done ? undefined : value
  }
  for (let first = await next(); first; first = await next()) {
    if ('problem' in first || !isOpen(first.text)) {
      if ('problem' in first || first.text !== '') yield first
      continue
    }
    const { text, taken } = await closeQuotes(first.text, next)
    if (text === null) for (const line of taken.reverse()) returned.push(line)
    yield text === null
      ? { number: first.number, problem: 'has a quote that is not closed' }
      : { number: first.number, text }
  }
}

/** Reads lines until the quotes of the first one are closed. */
async function closeQuotes(first: string, next: () => Promise<Line | undefined>) {
  const texts = [first]
  const taken: Line[] = []
  for (let length = first.length; length <= maxLineBytes; ) {
    const line = await next()
    if (line) taken.push(line)
    if (!line || 'problem' in line) break
    texts.push(line.text)
    length += line.text.length + 1
    if (isOpen(line.text)) return { text: texts.join('\n'), taken }
  }
  return { text: null, taken }
}

/**
 * Reports whether a quote is still open at the end of a line. A doubled quote is an escaped one.
 */
const isOpen = (text: string): boolean => (text.split('"').length - 1) % 2 === 1

function readHeader(line: Line) {
  const text = 'text' in line ? line.text : ''
  const delimiter = [',', ';', '\t'].find((one) => text.includes(one)) ?? ','
  const names = cellsOf(text, delimiter)?.map((name) => name.trim().toLowerCase())
  if (!names) throw new UsageError('import users: the first line must name the columns, in UTF-8')
  const twice = names.find((name, at) => name !== '' && names.indexOf(name) < at)
  if (twice) throw new UsageError(`import users: two columns are called ${twice}`)
  return { names, delimiter }
}

function toRecord(record: Line, { names, delimiter }: { names: string[]; delimiter: string }) {
  const line = record.number
  if ('problem' in record) return { line, problem: record.problem }
  const cells = cellsOf(record.text, delimiter)
  if (!cells) return { line, problem: 'has quotes in the wrong places' }
  if (cells.length !== names.length) {
    return { line, problem: `has ${countOf(cells)}, and the first line names ${names.length}` }
  }
  return { line, cells: new Map(names.map((name, at) => [name, cells[at] ?? ''])) }
}

const countOf = ({ length }: string[]) => (length === 1 ? '1 cell' : `${length} cells`)

/**
 * Returns the cells of a record; null if it is not CSV. The parser's message is dropped, since it
 * quotes the text.
 */
function cellsOf(text: string, delimiter: string): string[] | null {
  try {
    const [cells] = parse(text, { delimiter })
    return cells ?? null
  } catch {
    return null
  }
}
