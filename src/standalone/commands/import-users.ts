import { UsageError } from '../command-error.ts'
import {
  type FileReport,
  type ImportRequest,
  importUsersFile,
} from '../import/import-users-file.ts'
import type { Format } from '../import/record-source.ts'
import type { SettingsSources } from '../settings/settings-files.ts'
import { parseFlags } from '../terminal/parse-flags.ts'
import { jsonForTerminal, printTable, textForTerminal } from '../terminal/print-result.ts'

/** `latchkey import users FILE`: stores the users of a file. Exits with 1 if one was rejected. */
export async function importUsers(args: string[], code: SettingsSources['code']): Promise<void> {
  const { asJson, ...request } = readUsersRequest(args)
  const report = await importUsersFile(request, code)
  if (asJson) process.stdout.write(`${jsonForTerminal({ dryRun: request.dryRun, ...report })}\n`)
  else printReport(request, report)
  if (report.refused > 0) process.exitCode = 1
}

function printReport({ dryRun, reportFile }: ImportRequest, report: FileReport): void {
  const { imported, alreadyThere, refused, signUpsReplaced, ignored } = report
  printTable(
    ['what', 'how many'],
    [
      [dryRun ? 'would be imported' : 'imported', String(imported)],
      ['already there', String(alreadyThere)],
      ['rejected', String(refused)],
      ['sign-ups replaced', String(signUpsReplaced)],
    ],
  )
  const remarks = [
    ...(ignored.length > 0 ? [`Not imported: ${ignored.join(', ')}`] : []),
    ...(refused > 0 && reportFile ? [`Rejected lines: ${reportFile}`] : []),
  ]
  for (const remark of remarks) process.stderr.write(`${textForTerminal(remark)}\n`)
}

function readUsersRequest(args: string[]): ImportRequest & { asJson: boolean } {
  const { values, positionals } = parseFlags('import users', args, {
    format: { type: 'string' },
    'dry-run': { type: 'boolean', default: false },
    report: { type: 'string' },
    json: { type: 'boolean', default: false },
  })
  const [file, ...others] = positionals
  if (!file || others.length > 0) throw new UsageError('import users: expects one file, or -')
  return {
    file,
    format: values.format === undefined ? formatOf(file) : readFormat(values.format),
    dryRun: values['dry-run'],
    reportFile: values.report ?? null,
    asJson: values.json,
  }
}

const formats: Record<string, Format> = {
  csv: 'csv',
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  json: 'jsonl',
}

const extensionOf = (file: string): string => /\.(\w+)$/.exec(file)?.[1] ?? ''

const formatCalled = (name: string): Format | undefined =>
  Object.hasOwn(formats, name.toLowerCase()) ? formats[name.toLowerCase()] : undefined

function readFormat(name: string): Format {
  const format = formatCalled(name)
  if (format) return format
  throw new UsageError('import users: --format must be jsonl or csv')
}

function formatOf(file: string): Format {
  const format = formatCalled(extensionOf(file))
  if (format) return format
  throw new UsageError(
    'import users: the file name has no known extension: add --format jsonl or --format csv',
  )
}
