import { isError } from '../../platform/kit/is-error.ts'
import type { HostEntityManager, HostTransaction } from '../../platform/sql/host-transaction.ts'
import type { RequireSameDatabase, RunInHost } from './same-database.ts'
import type { TableNames } from './table-names.ts'

/** The part of a running transaction of MikroORM's (Kysely's) that we use. */
interface OrmTransaction {
  executeQuery(statement: object): Promise<{ rows: unknown[] }>
}

/** @throws TypeError where it runs no transaction, or one in another database. */
export function inEntityManager(
  host: HostEntityManager,
  requireSameDatabase: RequireSameDatabase,
): RunInHost {
  const transaction: OrmTransaction | undefined = host.getTransactionContext()
  if (!transaction) throw new TypeError('the entity manager runs no transaction')
  const run: RunInHost = async (text, values) => {
    // Whoever has MikroORM has loaded it already.
    const { CompiledQuery } = await import('kysely')
    return transaction.executeQuery(CompiledQuery.raw(text, values))
  }
  // Its forks share a connection, in the ORM's sense of the word.
  const of = (host as { getConnection?: () => object }).getConnection?.() ?? host
  let begun: Promise<void> | undefined
  return async (text, values) => {
    begun ??= requireSameDatabase({ of, name: 'em', run })
    await begun
    return run(text, values)
  }
}

/**
 * Of whatever can run a statement. Before the first one, two others make sure that it answers rows of our database,
 * and that a transaction runs.
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
 * Without a transaction each statement would commit by itself: of a pool, of a client before `begin`, or of one
 * whose transaction has ended. PostgreSQL locks tables in transactions only, and this lock is the one that reading
 * users takes anyway.
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

/** Some libraries answer an update with `[rows, count]`, which are no two rows. */
function requireRows(answer: unknown): unknown[] {
  const rows = Array.isArray(answer) ? answer : Object(answer).rows
  if (!Array.isArray(rows) || !rows.every(isRow)) {
    throw new TypeError('the method query of tx has to answer rows, by themselves or as rows')
  }
  return rows
}

const isRow = (row: unknown): boolean =>
  typeof row === 'object' && row !== null && !Array.isArray(row)

/** What is known of a failure below the host's library. */
interface DriverError {
  message?: string
  code?: unknown
  severity?: unknown
  /** Where a library keeps what it was thrown: Drizzle, TypeORM and Prisma. */
  cause?: unknown
  driverError?: unknown
  meta?: { driverAdapterError?: unknown }
  /** As Prisma calls what PostgreSQL said. */
  originalMessage?: string
  originalCode?: string
}

/**
 * What the driver below the host's library threw. A library puts its own error around it, which quotes the values
 * that it was handed: of that one the places in the code remain.
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
