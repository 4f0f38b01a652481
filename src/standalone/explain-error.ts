import { ConfigError } from '../platform/errors/start-errors.ts'
import { describeError } from '../platform/observability/describe-error.ts'
import { UsageError } from './command-error.ts'
import { explainPrivileges } from './database-remedy.ts'
import { describeRefusedFile } from './refused-file.ts'
import { commandOf, usageOf } from './usage.ts'

/** Returns an expected error as a sentence; only an unexpected one includes its stack. */
export function explain(error: unknown, args: readonly string[]): string {
  if (error instanceof UsageError) return `${error.message}\n\n${usageOf(commandOf(args))}`
  if (!(error instanceof Error)) return `${String(error)}\n`
  if (error.name === 'FolderInUseError' && args[0] !== 'dev') return besideDev(args[0])
  return `${describeRefusedFile(error) ?? explainPrivileges(error) ?? textOf(error)}\n`
}

function textOf(error: Error): string {
  const isExpected = error instanceof ConfigError || expectedErrors.has(error.name)
  if (!isExpected) return error.stack ?? error.message
  const text = describeError(error)
  // Only commands that read the environment open a store of limits.
  return error.name === 'RedisPackageMissingError'
    ? text.replace('rateLimits.redisUrl', 'AUTH_RATE_LIMIT_REDIS_URL')
    : text
}

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
  'RootKeyMissingError',
  'ListenError',
  'MissingTablesError',
  'SourceError',
  'SqlFormatterConfigError',
  'SqlFormatterMissingError',
  'TelemetryStartError',
  'UnsupportedNodeError',
])
