import { ConfigError } from '../platform/errors/start-errors.ts'
import { describeError } from '../platform/observability/describe-error.ts'
import { UsageError } from './command-error.ts'
import { commandOf, usageOf } from './usage.ts'

/** Returns an expected error as a sentence; only an unexpected one includes its stack. */
export function explain(error: unknown, args: readonly string[]): string {
  if (error instanceof UsageError) return `${error.message}\n\n${usageOf(commandOf(args))}`
  if (!(error instanceof Error)) return `${String(error)}\n`
  if (error.name === 'FolderInUseError' && args[0] !== 'dev') return besideDev(args[0])
  const isExpected =
    error instanceof ConfigError || expectedErrors.has(error.name) || isRefusedFile(error)
  return `${isExpected ? describeError(error) : (error.stack ?? error.message)}\n`
}

/** Whether the operating system refused to write a file, which the message names. */
const isRefusedFile = (error: NodeJS.ErrnoException): boolean =>
  error.path !== undefined && refusals.has(error.code ?? '')

const refusals = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT'])

/** Endpoints that do the same as a command. */
const endpointsFor: Readonly<Record<string, string>> = {
  admin: '/admin/users',
  why: '/admin/decisions?request_id=REQUEST_ID',
}

function besideDev(command = ''): string {
  const inUse =
    'The embedded database of this folder is already in use, as by latchkey dev: stop that process to run this command.\n'
  if (!Object.hasOwn(endpointsFor, command)) return inUse
  return `${inUse}While latchkey dev runs, its console and admin endpoints (${endpointsFor[command]}) do the same: it prints a token for them on a terminal.\n`
}

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
