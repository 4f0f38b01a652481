import { conflict, serviceUnavailable } from '../../platform/errors/request-errors.ts'
import { MissingTablesError } from '../../platform/errors/start-errors.ts'
import { isError } from '../../platform/kit/is-error.ts'
import { quotesValues } from '../../platform/observability/describe-fault.ts'

/** What the operating system says of a connection that is not there. */
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
 * What PostgreSQL says when it is going away, coming up, full, failing over, does not let us in (a
 * password is being replaced, or the database restored), or asks to try again.
 *
 * @see PostgreSQL documentation, appendix A: classes 08, 28, 3D, 40, 53, 57
 */
const passingStates = /^(08|28|3D|53)...$|^(57P0[1-5]|57014|40001|40P01|25006)$/

/** What the driver says without a code. */
const driverMessages =
  /connection terminated|connection error|timeout exceeded when trying to connect|timeout expired|query read timeout|cannot use a pool after calling end|connection ended/i

const uniqueViolation = '23505'
const foreignKeyViolation = '23503'

/** @see PostgreSQL documentation, appendix A: `undefined_table`, `undefined_object`, `invalid_schema_name` */
const missing = new Set(['42P01', '42704', '3F000'])

/**
 * Turns what a caller can do something about into an AuthError: a lost or refused connection into a
 * 503 that asks to try again, a lost race for something unique, or with a deletion, into a 409. Every other error stays
 * one, without the values that the database quotes: it may reach the host's log.
 *
 * @param isOurs whether a table (`auth.users`) or schema is Latchkey's: one that is not there is told as that.
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
  const isLost =
    codes.some((code) => networkCodes.has(code) || passingStates.test(code)) ||
    (isError(thrown) && driverMessages.test(thrown.message))
  return isLost ? serviceUnavailable('The database cannot be reached', error) : error
}

/**
 * Whether a row of one of our tables refers to a row that another request has deleted. Our own references never keep
 * a row from being deleted, so the violation of one is a lost race; that of a host's table is not.
 */
function refersToDeleted(error: unknown, isOurs: (name: string) => boolean): boolean {
  if (!isError(error)) return false
  const { code, schema, table } = error as { code?: unknown; schema?: unknown; table?: unknown }
  if (code === foreignKeyViolation && isOurs(`${schema}.${table}`)) return true
  return error.cause !== error && refersToDeleted(error.cause, isOurs)
}

/** Whatever the language of the server is: `relation "auth.users" does not exist`. */
const quotedName = (message: string): string => /"([^"]+)"/.exec(message)?.[1] ?? ''

/**
 * What PostgreSQL says of schema, rights, syntax and the state of a transaction names things, never rows.
 *
 * @see classes 0A, 25, 3F, 42
 */
const namesThings = /^(0A|25|28|3D|3F|42)...$/

/** The same error, or one that tells code and place of it and nothing that was written. */
function withoutValues(error: unknown, code: string | undefined): unknown {
  if (!isError(error) || !quotesValues(error)) return error
  const origin = isError(error.cause) ? error.cause : error
  const isTold =
    networkCodes.has(code ?? '') || (namesThings.test(code ?? '') && 'severity' in origin)
  const told = new Error(isTold ? origin.message : 'The database refused a statement')
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? []
  told.name = 'DatabaseError'
  told.stack = [`${told.name}: ${told.message}`, ...frames].join('\n')
  return Object.assign(told, code !== undefined && { code })
}

/** The codes of an error and of what caused it. */
function codesOf(error: unknown): string[] {
  if (!isError(error)) return []
  const own = 'code' in error && error.code !== undefined ? [String(error.code)] : []
  return error.cause === error ? own : [...own, ...codesOf(error.cause)]
}
