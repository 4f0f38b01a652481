import { createReadStream, statSync } from 'node:fs'
import type {
  ImportProgress,
  ImportRefusal,
  ImportReport,
  ImportUsersInput,
} from '../../import/users/import-input.ts'
import { importUsers } from '../../import/users/import-users.ts'
import { describeError } from '../../platform/observability/describe-error.ts'
import { openCall } from '../../service/api/call-options.ts'
import { UsageError } from '../command-error.ts'
import { openForCommand, operator } from '../operator.ts'
import { openJsonLines } from '../private-files.ts'
import type { SettingsSources } from '../settings/settings-files.ts'
import { textForTerminal } from '../terminal/print-result.ts'
import { createProgressDisplay, formatCount } from '../terminal/progress-display.ts'
import { type Format, openSource } from './record-source.ts'

export interface ImportRequest {
  /** A path, or `-` for standard input. */
  file: string
  format: Format
  dryRun: boolean
  /** The file for rejected lines. Null for standard error. */
  reportFile: string | null
}

/** The result of an import, with the fields that were ignored. */
export interface FileReport extends Omit<ImportReport, 'refusals'> {
  /** The first thousand rejections. */
  refusals: RejectedLine[]
  ignored: string[]
}

/** Stores the users of a file in the configured database, which is the only required setting. */
export async function importUsersFile(
  request: ImportRequest,
  code: SettingsSources['code'],
): Promise<FileReport> {
  const { file, format, dryRun, reportFile } = request
  const bytes = openBytes(file)
  const display = createProgressDisplay()
  const refusals = reportFile === null ? reportToPeople(display.clear) : reportToFile(reportFile)
  let opened: Awaited<ReturnType<typeof openForCommand>> | undefined
  try {
    opened = await openForCommand('database', code, { storesNothing: dryRun })
    const { deps } = opened
    const { records, ignored } = openSource(bytes.chunks(), format)
    const input: ImportUsersInput = {
      dryRun,
      onRefused: (rejection) => refusals.add(rejectedLine(rejection)),
      onProgress: (progress) => display.show(describeProgress(progress), bytes.share()),
    }
    const ctx = openCall(deps)
    const report = await importUsers(ctx, operator, records, input, {
      describePlace: describeLine,
    })
    return { ...report, refusals: report.refusals.map(rejectedLine), ignored: [...ignored] }
  } finally {
    display.clear()
    refusals.close()
    await opened?.close()
  }
}

const describeLine = (line: number): string => `the record in line ${line}`

const describeProgress = ({ imported, alreadyThere, refused }: ImportProgress): string =>
  `${formatCount(imported)} stored, ${formatCount(alreadyThere)} already exist, ${formatCount(refused)} rejected`

/**
 * The bytes of a file, and the part of it read so far, from 0 to 1; null if its size is unknown.
 */
function openBytes(file: string) {
  let read = 0
  const size = file === '-' ? null : sizeOf(file)
  // The file is opened by the first read, whose error a caller handles.
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
  const problem = isMissing ? 'the file does not exist' : describeError(error)
  return new UsageError(`import users: ${file} cannot be read: ${problem}`)
}

/** A record of a file that was rejected, by the line where it begins, from 1. */
interface RejectedLine extends Omit<ImportRefusal, 'place'> {
  line: number
}

/** Names the place of a record: in a file it is the line. See `record-source.ts`. */
const rejectedLine = ({ place: line, ...rejection }: ImportRefusal): RejectedLine => ({
  line,
  ...rejection,
})

/** A report of rejected lines. */
interface RejectionReport {
  add(refused: RejectedLine): void
  close(): void
}

/**
 * Writes lines of JSON to a file.
 *
 * @throws UsageError if the file cannot be written.
 */
function reportToFile(path: string): RejectionReport {
  const file = openJsonLines('import users', path)
  return {
    add: ({ line, code, field, message }) => file.write({ line, code, field, message }),
    close: file.close,
  }
}

/** Writes readable lines to standard error. */
const reportToPeople = (beforeLine: () => void): RejectionReport => ({
  add: ({ line, code, message }) => {
    beforeLine()
    process.stderr.write(textForTerminal(`line ${line}: ${message} (${code})\n`))
  },
  close: () => {},
})
