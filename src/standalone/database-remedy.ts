import { describeError } from '../platform/observability/describe-error.ts'

/** @see PostgreSQL documentation, appendix A: `insufficient_privilege` */
const insufficientPrivilege = '42501'

/**
 * Returns a rejection for missing privileges as a sentence with its remedy; null for other errors.
 */
export function explainPrivileges(error: unknown): string | null {
  if (!findCause(error, ({ code }) => code === insufficientPrivilege)) return null
  const reason = describeError(error)
  return `${reason}. ${privilegesRemedy(reason)}`
}

/** Returns the remedy for an error of the database; undefined where its message contains it. */
export function databaseRemedy(error: unknown): string | undefined {
  if (findCause(error, ({ code }) => code === insufficientPrivilege)) {
    return privilegesRemedy(describeError(error))
  }
  if (findCause(error, ({ isConnecting }) => isConnecting === true)) return undefined
  const { name } = Object(error)
  if (name === 'AuthError') return 'check that the server accepts connections from this machine'
  return name === 'DatabaseError' ? 'check the database, and the log of its server' : undefined
}

function privilegesRemedy(reason: string): string {
  const [, database] = /database "?(.+?)"?$/.exec(reason) ?? []
  if (database === undefined) {
    return "Use the role that owns the schema and Latchkey's tables, or grant its privileges to this role"
  }
  const quoted = /^[a-z_][a-z\d_]*$/.test(database) ? database : `"${database}"`
  return `As the owner of the database, run \`grant create on database ${quoted} to ROLE\`, or apply the script that \`latchkey migrate plan\` prints`
}

type DatabaseFields = Error & { code?: unknown; isConnecting?: unknown }

function findCause(error: unknown, matches: (error: DatabaseFields) => boolean): boolean {
  if (!(error instanceof Error)) return false
  return matches(error) || (error.cause !== error && findCause(error.cause, matches))
}
