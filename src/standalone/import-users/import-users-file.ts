import { createReadStream, statSync } from 'node:fs'
import type {
  ImportProgress,
  ImportRefusal,
  ImportReport,
} from '../../import/users/import-input.ts'
import { importUsers } from '../../import/users/import-users.ts'
import { openCall } from '../../service/api/call-options.ts'
import { inWords } from '../in-words.ts'
import { openJsonLines } from '../json-lines-file.ts'
import { openForOperator, operator } from '../operator.ts'
import { createProgressDisplay, spelled } from '../progress-display.ts'
import { UsageError } from '../usage-error.ts'
import { type Format, openSource } from './record-source.ts'

export interface ImportRequest {
  /** A path, or `-` for standard input. */
  file: string
  format: Format
  dryRun: boolean
  /** Where refused lines are written. Null for standard error. */
  reportFile: string | null
}

/** What came of it, and which fields meant nothing. */
export interface FileReport extends Omit<ImportReport, 'refusals'> {
  /** The first thousand. */
  refusals: RefusedLine[]
  ignored: string[]
}

/** Stores the users of a file in the configured database. */
export async function importUsersFile(request: ImportRequest): Promise<FileReport> {
  const { file, format, dryRun, reportFile } = request
  const bytes = openBytes(file)
  const display = createProgressDisplay()
  const refusals = reportFile === null ? reportToPeople(display.clear) : reportToFile(reportFile)
  const { auth, runtime } = openForOperator()
  try {
    const { deps } = await runtime()
    const { records, ignored } = openSource(bytes.chunks(), format)
    const report = await importUsers(openCall(deps), operator, records, {
      dryRun,
      onRefused: (refusal) => refusals.add(refusedLine(refusal)),
      onProgress: (progress) => display.show(describeProgress(progress), bytes.share()),
    })
    return { ...report, refusals: report.refusals.map(refusedLine), ignored: [...ignored] }
  } finally {
    display.clear()
    refusals.close()
    await auth.close()
  }
}

const describeProgress = ({ imported, alreadyThere, refused }: ImportProgress): string =>
  `${spelled(imported)} stored, ${spelled(alreadyThere)} there already, ${spelled(refused)} refused`

/** What is read, and how much of it was so far, from 0 to 1; null where nobody knows how much there is. */
function openBytes(file: string) {
  let read = 0
  const size = file === '-' ? null : sizeOf(file)
  // What cannot be opened fails where it is read, and not before.
  const open = () => (file === '-' ? process.stdin : createReadStream(file))
  return {
    share: () => (size === null || size === 0 ? null : Math.min(1, read / size)),
    chunks: async function* (): AsyncGenerator<Uint8Array> {
      try {
        for await (const chunk of open()) {
          read += chunk.length
          yield chunk
        }
      } catch (error) {
        throw unusable(file, error)
      }
    },
  }
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size
  } catch (error) {
    throw unusable(file, error)
  }
}

function unusable(file: string, error: unknown): UsageError {
  const isMissing = Object(error).code === 'ENOENT'
  const problem = isMissing ? 'there is no such file' : inWords(error)
  return new UsageError(`import users: ${file} cannot be read: ${problem}`)
}

/** A record of a file that was not stored, by the line where it begins, from 1. */
interface RefusedLine extends Omit<ImportRefusal, 'place'> {
  line: number
}

/** A record of a file has its line as its place: see `record-source.ts`. */
const refusedLine = ({ place: line, ...refusal }: ImportRefusal): RefusedLine => ({
  line,
  ...refusal,
})

/** Where refused lines are told of. */
interface RefusalReport {
  add(refused: RefusedLine): void
  close(): void
}

/**
 * Lines of JSON in a file.
 *
 * @throws UsageError when the file cannot be written.
 */
function reportToFile(path: string): RefusalReport {
  const file = openJsonLines('import users', path)
  return {
    add: ({ line, code, field, message }) => file.write({ line, code, field, message }),
    close: file.close,
  }
}

/** Lines for people, on standard error. */
const reportToPeople = (beforeLine: () => void): RefusalReport => ({
  add: ({ line, code, message }) => {
    beforeLine()
    process.stderr.write(`line ${line}: ${message} (${code})\n`)
  },
  close: () => {},
})
