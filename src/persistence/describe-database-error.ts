import { conflict, serviceUnavailable } from '../errors/request-errors.ts'

/** What the operating system says of a connection that is not there. */
const networkCodes = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'ECONNABORTED', 'ENOENT'],
])

/**
 * What PostgreSQL says when it is going away, coming up, full, failing over, or asks to try again.
 *
 * @see PostgreSQL documentation, appendix A: classes 08, 40, 53, 57
 */
const passingStates = /^(08|53)...$|^(57P0[1-5]|57014|40001|40P01|25006)$/

/** What the driver says without a code. */
const driverMessages =
  /connection terminated|connection error|timeout exceeded when trying to connect|query read timeout|cannot use a pool after calling end|connection ended/i

const uniqueViolation = '23505'

/**
 * Turns what a caller can do something about into an AuthError: a lost or refused connection into a
 * 503 that asks to try again, a lost race for something unique into a 409. Leaves every other error
 * as it is.
 */
export function describeDatabaseError(error: unknown): unknown {
  const codes = codesOf(error)
  if (codes.includes(uniqueViolation)) return conflict('Another request was faster', error)
  const isLost =
    codes.some((code) => networkCodes.has(code) || passingStates.test(code)) ||
    (error instanceof Error && driverMessages.test(error.message))
  return isLost ? serviceUnavailable('The database cannot be reached', error) : error
}

/** The codes of an error and of what caused it. */
function codesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return []
  const own = 'code' in error && error.code !== undefined ? [String(error.code)] : []
  return error.cause === error ? own : [...own, ...codesOf(error.cause)]
}
