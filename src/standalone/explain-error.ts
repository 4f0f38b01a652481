import { ConfigError } from '../platform/errors/start-errors.ts'
import { describeError } from '../platform/observability/describe-error.ts'
import { UsageError } from './command-error.ts'
import { commandOf, usageOf } from './usage.ts'

/** Returns an expected error as a sentence; only an unexpected one includes its stack. */
export function explain(error: unknown, args: readonly string[]): string {
  if (error instanceof UsageError) return `${error.message}\n\n${usageOf(commandOf(args))}`
  if (!(error instanceof Error)) return `${String(error)}\n`
  const isExpected =
    error instanceof ConfigError || expectedErrors.has(error.name) || isRefusedFile(error)
  const remedy = error.name === 'FolderInUseError' && args[0] !== 'dev' ? besideDev : ''
  return `${isExpected ? describeError(error) : (error.stack ?? error.message)}\n${remedy}`
}

/** Whether the operating system refused to write a file, which the message names. */
const isRefusedFile = (error: NodeJS.ErrnoException): boolean =>
  error.path !== undefined && refusals.has(error.code ?? '')

const refusals = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT'])

const besideDev =
  'While latchkey dev runs, its admin endpoints (/admin/users) do the same: it prints a token for them on a terminal.\n'

const expectedErrors = new Set([
  'AuthError',
  'CommandError',
  'ForeignSchemaError',
  'FolderInUseError',
  'EmbeddedPostgresMissingError',
  'HashingPackageMissingError',
  'PasswordScoreMissingError',
  'RedisPackageMissingError',
  'ListenError',
  'MissingTablesError',
  'SourceError',
  'SqlFormatterConfigError',
  'SqlFormatterMissingError',
  'TelemetryStartError',
  'UnsupportedNodeError',
])
