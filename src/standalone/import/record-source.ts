import type { UserToImport } from '../../import/users/import-input.ts'
import type { SourceRecord } from '../../import/users/import-users.ts'
import { badJson, validationFailed } from '../../platform/errors/request-errors.ts'
import {
  describeMisspelledField,
  type ImportedFieldKind,
  importedFields,
  readUserToImport,
} from '../../service/api/user-to-import.ts'
import { UsageError } from '../command-error.ts'
import { csvRecords } from './csv-records.ts'
import { type Line, readLines } from './read-lines.ts'

/** The format of a file of records. */
export type Format = 'jsonl' | 'csv'

/** The users of a file, by the line where each begins. */
export interface RecordSource {
  records: AsyncIterable<SourceRecord>
  /** Names of fields in the file that an import ignores. */
  ignored: Set<string>
}

/** The maximum number of ignored names that are reported. */
const maxIgnored = 20

/** @throws UsageError while reading, for a file of another format. */
export function openSource(chunks: AsyncIterable<Uint8Array>, format: Format): RecordSource {
  const lines = readLines(chunks)
  const ignored = new Set<string>()
  const ignore = (names: Iterable<string>) => {
    for (const name of names) {
      if (!importedFields.has(name) && ignored.size < maxIgnored) ignored.add(name)
    }
  }
  const records = format === 'csv' ? fromCsv(lines, ignore) : fromJsonLines(lines, ignore)
  return { records, ignored }
}

type Ignore = (names: Iterable<string>) => void

async function* fromJsonLines(
  lines: AsyncIterable<Line>,
  ignore: Ignore,
): AsyncGenerator<SourceRecord> {
  for await (const line of lines) {
    if ('problem' in line) yield unreadable(line.number, line.problem)
    else if (line.text.trim() !== '') {
      if (line.number === 1) rejectDocument(line.text)
      yield { place: line.number, read: () => readJson(line.text, ignore) }
    }
  }
}

/**
 * Rejects a file that is one JSON array, as many tools write it: only one record per line can be
 * read in parts.
 */
function rejectDocument(text: string): void {
  if (!/^\s*(\[|\{\s*$)/.test(text)) return
  throw new UsageError(
    "import users: the file is one JSON document; write one record per line: jq -c '.[]' FILE",
  )
}

function readJson(text: string, ignore: Ignore): UserToImport {
  const record = parseJson(text)
  if (record === undefined) throw badJson('is not JSON')
  if (typeof record === 'object' && record !== null) ignore(Object.keys(record))
  return readUserToImport(record, 'wire')
}

async function* fromCsv(lines: AsyncIterable<Line>, ignore: Ignore): AsyncGenerator<SourceRecord> {
  let isFirst = true
  for await (const record of csvRecords(lines)) {
    if ('problem' in record) {
      yield unreadable(record.line, record.problem)
      continue
    }
    const { line, cells } = record
    if (isFirst) requireColumns(cells)
    if (isFirst) ignore(cells.keys())
    isFirst = false
    yield { place: line, read: () => readUserToImport(valuesOf(cells), 'wire') }
  }
}

function requireColumns(cells: Map<string, string>): void {
  const misspelled = describeMisspelledField([...cells.keys()], 'wire')
  if (misspelled !== null) throw new UsageError(`import users: the column ${misspelled}`)
  if (['email', 'phone', 'identities'].some((name) => cells.has(name))) return
  throw new UsageError(
    'import users: the first line contains no column email, phone or identities. See docs/import.md',
  )
}

/** Returns the values of a record; an empty cell counts as absent. */
function valuesOf(cells: Map<string, string>): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, kind] of importedFields) {
    const cell = cells.get(name)
    if (cell) values[name] = readers[kind](cell, name)
  }
  return values
}

const readers: Record<ImportedFieldKind, (cell: string, name: string) => unknown> = {
  text: (cell) => cell,
  flag: (cell, name) => {
    const [, yes, no] = /^(?:(true|t|1)|(false|f|0))$/i.exec(cell.trim()) ?? []
    if (yes === undefined && no === undefined) throw badJson(`${name}: must be true or false`)
    return yes !== undefined
  },
  json: (cell, name) => {
    const value = parseJson(cell)
    if (value === undefined) throw badJson(`${name}: must be JSON`)
    return value
  },
}

const unreadable = (place: number, problem: string): SourceRecord => ({
  place,
  read: () => {
    throw validationFailed(problem)
  },
})

/**
 * Returns the parsed value; undefined if the text is not JSON. The parser's message is dropped,
 * since it quotes the text.
 */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
