import { isError } from '../../platform/kit/is-error.ts'
import type { HostEntityManager, HostTransaction } from '../../platform/sql/host-transaction.ts'
import type { RequireSameDatabase, RunInHost } from './same-database.ts'
import type { TableNames } from './table-names.ts'

/** The part that we use of a running transaction of MikroORM (Kysely). */
interface OrmTransaction {
  executeQuery(statement: object): Promise<{ rows: unknown[] }>
}

/**
 * @throws TypeError where it runs no transaction, or one in another database.
 */
export function inEntityManager(
  host: HostEntityManager,
  requireSameDatabase: RequireSameDatabase,
): RunInHost {
  const transaction: OrmTransaction | undefined = host.getTransactionContext()
  if (!transaction) throw new TypeError('the entity manager runs no transaction')
  const run: RunInHost = async (text, values) => {
    // A host with MikroORM has already loaded it.
    const { CompiledQuery } = await import('kysely')
    return transaction.executeQuery(CompiledQuery.raw(text, values))
  }
  // Forks of an EntityManager share its connection object.
  const of = (host as { getConnection?: () => object }).getConnection?.() ?? host
  let begun: Promise<void> | undefined
  return async (text, values) => {
    begun ??= requireSameDatabase({ of, name: 'em', run })
    await begun
    return run(text, values)
  }
}

/**
 * Returns the statements of a host's transaction. Before the first one, two others verify that it
 * queries our database and that a transaction runs.
 */
export function inHostTransaction(
  host: HostTransaction,
  names: TableNames,
  requireSameDatabase: RequireSameDatabase,
): RunInHost {
  const run: RunInHost = async (text, values) => {
    const answer = await host.query(text, values).catch((error: unknown) => {
      throw errorOfDriver(error)
    })
    return { rows: requireRows(answer) }
  }
  const begin = async () => {
    await requireSameDatabase({ of: host, name: 'tx', run })
    await requireTransaction((statement) => run(statement, []), names)
  }
  let begun: Promise<void> | undefined
  return async (text, values) => {
    begun ??= begin()
    await begun
    return run(text, values)
  }
}

/**
 * Verifies that a transaction runs. Without one, each statement would commit by itself: with a
 * pool, a client before `begin`, or one whose transaction has ended. PostgreSQL locks tables in
 * transactions only, and reading users takes the same lock.
 */
async function requireTransaction(
  run: (text: string) => Promise<unknown>,
  names: TableNames,
): Promise<void> {
  try {
    await run(`lock table ${names.table('users')} in access share mode`)
  } catch (error) {
    if (isError(error) && 'code' in error && error.code === noActiveTransaction) {
      throw new TypeError('tx runs no transaction')
    }
    throw error
  }
}

/** @see PostgreSQL documentation, appendix A: `no_active_sql_transaction` */
const noActiveTransaction = '25P01'

/** Some libraries return `[rows, count]` for an update, which are not two rows. */
function requireRows(answer: unknown): unknown[] {
  const rows = Array.isArray(answer) ? answer : Object(answer).rows
  if (!Array.isArray(rows) || !rows.every(isRow)) {
    throw new TypeError('the method query of tx must return rows: an array, or an object with rows')
  }
  return rows
}

const isRow = (row: unknown): boolean =>
  typeof row === 'object' && row !== null && !Array.isArray(row)

/** The properties of an error of the driver below the host's library. */
interface DriverError {
  message?: string
  code?: unknown
  severity?: unknown
  /** The properties in which Drizzle, TypeORM and Prisma store the cause. */
  cause?: unknown
  driverError?: unknown
  meta?: { driverAdapterError?: unknown }
  /** The names of Prisma for PostgreSQL's message and code. */
  originalMessage?: string
  originalCode?: string
}

/**
 * Returns the error of the driver below the host's library. The library's own error quotes the
 * values of the statement; only its stack is kept.
 */
function errorOfDriver(thrown: unknown): unknown {
  if (!isError(thrown)) return thrown
  const origin = driverErrorIn(thrown)
  if (origin === thrown && !('code' in thrown)) return thrown
  const { originalMessage, message = originalMessage, originalCode, code = originalCode } = origin
  const severity = origin.severity ?? (originalCode && 'ERROR')
  const error = new Error(message)
  const frames = thrown.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? []
  error.stack = [`${error.name}: ${message}`, ...frames].join('\n')
  return Object.assign(error, code !== undefined && { code }, severity && { severity })
}

function driverErrorIn(thrown: DriverError): DriverError {
  const below = thrown.driverError ?? thrown.meta?.driverAdapterError ?? thrown.cause
  return typeof below === 'object' && below !== null ? driverErrorIn(below) : thrown
}
