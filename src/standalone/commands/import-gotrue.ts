import { parseColumnKeys } from '../../import/gotrue/column-encryption.ts'
import { UsageError } from '../command-error.ts'
import {
  type GotrueRequest,
  importGotrueDatabase,
  remarksOn,
  rowsOf,
} from '../import/import-gotrue-database.ts'
import type { SettingsSources } from '../settings/settings-files.ts'
import { parseFlags } from '../terminal/parse-flags.ts'
import { jsonForTerminal, printTable, textForTerminal } from '../terminal/print-result.ts'

/** The name of the setting in GoTrue's own environment. */
const urlName = 'GOTRUE_DB_DATABASE_URL'
const keysName = 'GOTRUE_SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS'

/**
 * `latchkey import gotrue [URL]`: imports the users of a GoTrue database. Exits with 1 if one was
 * rejected.
 */
export async function importGotrue(args: string[], code: SettingsSources['code']): Promise<void> {
  const { asJson, ...request } = readGotrueRequest(args)
  const report = await importGotrueDatabase(request, code)
  if (asJson) {
    const { dryRun } = request
    process.stdout.write(`${jsonForTerminal({ dryRun, ...report })}\n`)
  } else {
    printTable(['what', 'how many'], rowsOf(report))
    for (const remark of remarksOn(report, request))
      process.stderr.write(textForTerminal(`${remark}\n`))
  }
  if (report.users.refused > 0) process.exitCode = 1
}

function readGotrueRequest(args: string[]): GotrueRequest & { asJson: boolean } {
  const { values, positionals } = parseFlags('import gotrue', args, {
    schema: { type: 'string', default: 'auth' },
    'dry-run': { type: 'boolean', default: false },
    prune: { type: 'boolean', default: false },
    'prune-share': { type: 'string' },
    'replace-root-key': { type: 'boolean', default: false },
    report: { type: 'string' },
    json: { type: 'boolean', default: false },
  })
  if (positionals.length > 1) throw new UsageError('import gotrue: expects one URL')
  return {
    url: readUrl(positionals[0] ?? process.env[urlName]),
    schema: values.schema,
    keys: readKeys(process.env[keysName] ?? ''),
    dryRun: values['dry-run'],
    prune: values.prune || values['prune-share'] !== undefined,
    pruneShare: readShare(values['prune-share']),
    replaceRootKey: values['replace-root-key'],
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

function readShare(text: string | undefined): number | null {
  if (text === undefined) return null
  if (/^[1-9]\d?$|^100$/.test(text)) return Number(text)
  throw new UsageError('import gotrue: --prune-share must be a percentage from 1 to 100')
}

function readKeys(text: string) {
  const keys = parseColumnKeys(text)
  if (keys) return keys
  throw new UsageError(
    `import gotrue: ${keysName} must be id:key,id:key, keys of 32 bytes in base64url`,
  )
}
