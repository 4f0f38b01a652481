import { parseColumnKeys } from '../../import/gotrue/column-encryption.ts'
import { UsageError } from '../command-error.ts'
import {
  type GotrueRequest,
  importGotrueDatabase,
  remarksOn,
  rowsOf,
} from '../import/import-gotrue-database.ts'
import {
  type FileReport,
  type ImportRequest,
  importUsersFile,
} from '../import/import-users-file.ts'
import type { Format } from '../import/record-source.ts'
import type { SettingsSources } from '../settings/settings-files.ts'
import { parseFlags } from '../terminal/parse-flags.ts'
import { jsonForTerminal, printTable, textForTerminal } from '../terminal/print-result.ts'

type Code = SettingsSources['code']

const kinds: Record<string, (args: string[], code: Code) => Promise<void>> = {
  users: importUsers,
  gotrue: importGotrue,
}

/**
 * `latchkey import …`: imports users from a file or another service into the configured database.
 */
export async function importFrom(
  [name = '', ...args]: string[],
  { code }: Pick<SettingsSources, 'code'> = {},
): Promise<void> {
  const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
  // The message does not quote the word: it may be a URL with a password.
  if (!kind) throw new UsageError('import: import what? Expects `users` or `gotrue`')
  await kind(args, code)
}

/** `latchkey import users FILE`: stores the users of a file. Exits with 1 if one was rejected. */
async function importUsers(args: string[], code: SettingsSources['code']): Promise<void> {
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
      ['refused', String(refused)],
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

/** The name of the setting in GoTrue's own environment. */
const urlName = 'GOTRUE_DB_DATABASE_URL'
const keysName = 'GOTRUE_SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS'

/**
 * `latchkey import gotrue [URL]`: imports the users of a GoTrue database. Exits with 1 if one was
 * rejected.
 */
async function importGotrue(args: string[], code: SettingsSources['code']): Promise<void> {
  const { asJson, ...request } = readGotrueRequest(args)
  const report = await importGotrueDatabase(request, code)
  if (asJson) {
    const { dryRun } = request
    process.stdout.write(`${JSON.stringify({ dryRun, ...report }, null, 2)}\n`)
  } else {
    printTable(['what', 'how many'], rowsOf(report))
    for (const remark of remarksOn(report, request)) process.stderr.write(`${remark}\n`)
  }
  if (report.users.refused > 0) process.exitCode = 1
}

function readGotrueRequest(args: string[]): GotrueRequest & { asJson: boolean } {
  const { values, positionals } = parseFlags('import gotrue', args, {
    schema: { type: 'string', default: 'auth' },
    'dry-run': { type: 'boolean', default: false },
    prune: { type: 'boolean', default: false },
    report: { type: 'string' },
    json: { type: 'boolean', default: false },
  })
  if (positionals.length > 1) throw new UsageError('import gotrue: expects one URL')
  return {
    url: readUrl(positionals[0] ?? process.env[urlName]),
    schema: values.schema,
    keys: readKeys(process.env[keysName] ?? ''),
    dryRun: values['dry-run'],
    prune: values.prune,
    reportFile: values.report ?? null,
    asJson: values.json,
  }
}

/** Reads the URL of the source database. Messages do not quote it, since it contains a password. */
function readUrl(text: string | undefined): string {
  if (!text)
    throw new UsageError(`import gotrue: expects a URL, from the command line or ${urlName}`)
  if (URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol)) return text
  throw new UsageError('import gotrue: the URL must be postgres://user:password@host/database')
}

function readKeys(text: string) {
  const keys = parseColumnKeys(text)
  if (keys) return keys
  throw new UsageError(
    `import gotrue: ${keysName} must be id:key,id:key, keys of 32 bytes in base64url`,
  )
}
