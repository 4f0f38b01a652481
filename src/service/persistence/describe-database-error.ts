import { conflict, serviceUnavailable } from '../../platform/errors/request-errors.ts'
import { MissingTablesError } from '../../platform/errors/start-errors.ts'
import { isError } from '../../platform/kit/is-error.ts'
import { quotesValues } from '../../platform/observability/describe-fault.ts'

/** Codes of the operating system for a failed connection. */
const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ECONNABORTED',
  'ENOENT',
])

/**
 * States of PostgreSQL that may pass: shutdown, start, recovery, a full or failing disk, no free
 * connections, failover, or failed login (a password is being replaced, or the database restored).
 *
 * @see PostgreSQL documentation, appendix A: classes 08, 28, 3D, 53, 55, 57, 58
 */
const passingStates = /^(08|28|3D|53|58)...$|^(57P0[1-5]|25006|55000)$/

/** States after which a repeated statement may succeed: lock, deadlock, conflict, cancellation. */
const wasEnded = /^(57014|40001|40P01|55P03)$/

/** Severities after which the connection ends, whatever the state is. */
const endsConnection = new Set(['FATAL', 'PANIC'])

/** Messages of the driver for lost or unanswered connections, which have no code. */
export const driverMessages =
  /connection terminated|connection error|timeout exceeded when trying to connect|timeout expired|query read timeout|cannot use a pool after calling end|connection ended/i

const uniqueViolation = '23505'
const foreignKeyViolation = '23503'

/**
 * @see PostgreSQL documentation, appendix A: `undefined_table`, `undefined_object`,
 *   `invalid_schema_name`
 */
const missing = new Set(['42P01', '42704', '3F000'])

/**
 * Converts errors that a caller can handle into an AuthError: a lost or refused connection into a
 * 503 with `Retry-After`, a lost race for a unique value, or with a deletion, into a 409. Other
 * errors stay, without the values that the database quotes, because they may be logged by the host.
 *
 * @param isOurs whether a table (`auth.users`) or schema is Latchkey's: a missing one has an error
 *   of its own.
 */
export function describeDatabaseError(
  thrown: unknown,
  isOurs: (name: string) => boolean = () => false,
): unknown {
  const codes = codesOf(thrown)
  const error = withoutValues(thrown, codes[0])
  if (isError(error) && missing.has(codes[0] ?? '') && isOurs(quotedName(error.message))) {
    return new MissingTablesError({ cause: error })
  }
  if (codes.includes(uniqueViolation)) return conflict('Another request was faster', error)
  if (refersToDeleted(thrown, isOurs)) return conflict('Another request was faster', error)
  if (codes.some((code) => wasEnded.test(code))) {
    return serviceUnavailable(
      'The database ended a statement: it was blocked, or took too long',
      error,
    )
  }
  const isLost =
    isConnectionFailure(thrown) ||
    codes.some((code) => networkCodes.has(code) || passingStates.test(code)) ||
    (isError(thrown) && driverMessages.test(thrown.message))
  return isLost ? serviceUnavailable('The database cannot be reached', error) : error
}

/**
 * Whether a connection was not opened, or was ended by the server, or whether the server is a
 * standby, which rejects unlogged tables with a state of other meanings, too.
 */
function isConnectionFailure(error: unknown): boolean {
  if (!isError(error)) return false
  const { severity, routine, isConnecting } = error as ServerFields
  if (isConnecting || endsConnection.has(severity ?? '')) return true
  if (codesOf(error)[0] === '0A000' && routine === 'get_relation_info') return true
  return error.cause !== error && isConnectionFailure(error.cause)
}

interface ServerFields {
  severity?: string
  routine?: string
  /** Set where no connection was opened. */
  isConnecting?: boolean
}

/**
 * Whether a row of our tables refers to a row that another request has deleted. Our own references
 * never prevent a deletion, so the violation of one is a lost race; that of a host's table is not.
 */
function refersToDeleted(error: unknown, isOurs: (name: string) => boolean): boolean {
  if (!isError(error)) return false
  const { code, schema, table } = error as { code?: unknown; schema?: unknown; table?: unknown }
  if (code === foreignKeyViolation && isOurs(`${schema}.${table}`)) return true
  return error.cause !== error && refersToDeleted(error.cause, isOurs)
}

/** Returns the quoted name of a message in any language: `relation "auth.users" does not exist`. */
const quotedName = (message: string): string => /"([^"]+)"/.exec(message)?.[1] ?? ''

/**
 * Classes of errors (schema, privileges, syntax, state of a transaction) whose messages contain
 * names, but no rows.
 *
 * @see classes 0A, 25, 3F, 42
 */
const namesThings = /^(0A|25|28|3D|3F|42)...$/

/** Returns the same error, or one with only its code and stack, without values. */
function withoutValues(error: unknown, code: string | undefined): unknown {
  if (!isError(error) || !quotesValues(error)) return error
  const origin = isError(error.cause) ? error.cause : error
  const isReported =
    networkCodes.has(code ?? '') ||
    ('severity' in origin ? namesThings.test(code ?? '') : driverMessages.test(origin.message))
  const reported = new Error(isReported ? origin.message : 'The database rejected a statement')
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? []
  reported.name = 'DatabaseError'
  reported.stack = [`${reported.name}: ${reported.message}`, ...frames].join('\n')
  return Object.assign(reported, code !== undefined && { code })
}

/** Returns the codes of an error and of its causes. */
export function codesOf(error: unknown): string[] {
  if (!isError(error)) return []
  const own = 'code' in error && error.code !== undefined ? [String(error.code)] : []
  return error.cause === error ? own : [...own, ...codesOf(error.cause)]
}
