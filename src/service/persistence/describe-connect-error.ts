import { isError } from '../../platform/kit/is-error.ts'
import { type DatabasePlace, databasePlaceOf } from './database-place.ts'
import { driverMessages } from './describe-database-error.ts'
import { describeUnreadableFile } from './unreadable-url-file.ts'

/**
 * Returns an error that names the host, port and database to which no connection was opened, and
 * the remedy. It contains no user name, password or URL, and has the code of the original. A loss
 * that the driver reports without a code gets one, since its message is replaced.
 * `describeDatabaseError` recognizes it, whatever its code is: PostgreSQL rejects connections with
 * an internal error while its disk is full.
 */
export function describeConnectError(thrown: unknown, url: string): Error {
  const origin = originOf(thrown)
  const message = isError(origin) ? origin.message : ''
  const lost = driverMessages.test(message) ? 'ECONNABORTED' : null
  const code = codeOf(thrown) ?? codeOf(origin) ?? lost
  const described = new Error(describeUnreadableFile(origin) ?? textOf(code ?? '', message, url))
  described.name = 'DatabaseError'
  return Object.assign(described, { isConnecting: true }, code !== null && { code })
}

/** Of several attempts, one at each address of a host name, the first. */
const originOf = (error: unknown): unknown =>
  error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error

const codeOf = (error: unknown): string | null =>
  isError(error) && 'code' in error && error.code !== undefined ? String(error.code) : null

/** An exception in the report of a lost connection would end the process. */
function placeOrText(url: string): DatabasePlace {
  try {
    return databasePlaceOf(url)
  } catch {
    return { server: 'the server of the URL', database: '' }
  }
}

function textOf(code: string, message: string, url: string): string {
  const { server, database } = placeOrText(url)
  if (code === '3D000') {
    return `The database "${database}" does not exist on ${server}. Create it with createdb, or correct its name in the URL`
  }
  const place = `${server} (database "${database}")`
  if (code.startsWith('28')) {
    // The message of PostgreSQL contains the name of the user.
    return `${place} rejects the user. Correct user and password in the URL, or permit the connection in pg_hba.conf`
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return `The host of ${place} is not found. Correct its name in the URL, or check DNS`
  }
  if (code === 'ECONNREFUSED' || code === 'ENOENT') {
    return `No server accepts connections at ${place}. Start PostgreSQL, or correct host and port in the URL`
  }
  if (code === '53300') {
    return `${place} has no connection left. Close connections of other applications, or raise max_connections`
  }
  if (code === 'ETIMEDOUT' || /timeout/i.test(message)) {
    return `${place} does not respond in time. Check host, port and firewall`
  }
  return `${place} cannot be used: ${message || code}. Check the server and its log`
}
