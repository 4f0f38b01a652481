import { requestTimeout } from '../platform/errors/request-errors.ts'
import type { Replica } from '../platform/sql/database.ts'
import type { HostEntityManager, HostTransaction } from '../platform/sql/host-transaction.ts'
import type { Queryable } from '../platform/sql/queryable.ts'
import type { AuthContext, Deps, TransactionContext } from './auth-context.ts'
import type { RequestFacts } from './request-facts.ts'

/** Creates the context of one request or call, in the host's transaction if one is given. */
export function createContext(
  deps: Deps,
  request: RequestFacts,
  host?: HostEntityManager | HostTransaction,
): AuthContext {
  const { database, limits } = inTurnOf(deps, request)
  const joined = host ? database.join(host) : null
  const isJoined = joined !== null
  const inUnit = (sql: Queryable, afterCommit: AuthContext['afterCommit']): TransactionContext => {
    const ctx: TransactionContext = {
      ...deps,
      database,
      limits,
      sql,
      reader: sql,
      request,
      isJoined,
      isInTransaction: true,
      transaction: (work) => work(ctx),
      afterCommit,
    }
    return ctx
  }
  if (joined) {
    return {
      ...inUnit(joined.sql, runNow),
      transaction: (work) =>
        withCompletions((afterCommit) => joined.run(() => work(inUnit(joined.sql, afterCommit)))),
    }
  }
  const sql = untilOver(database.sql, request)
  return {
    ...deps,
    database,
    limits,
    request,
    sql,
    reader: database.replica ? untilOver(database.replica.sql, request) : sql,
    isJoined,
    isInTransaction: false,
    transaction: (work) =>
      withCompletions((afterCommit) =>
        database.transaction(({ sql }) => work(inUnit(untilOver(sql, request), afterCommit))),
      ),
    afterCommit: runNow,
  }
}

/**
 * Returns the parts through which a request uses the database, in the queue of its client. Other
 * parts, such as the outbox, send statements of the service itself, even where a request causes
 * them.
 */
function inTurnOf(
  { database, limits }: Deps,
  request: RequestFacts,
): Pick<Deps, 'database' | 'limits'> {
  const { inTurnOf: run, replica } = database
  if (!run) return { database, limits }
  const inTurn = (sql: Queryable): Queryable => ({
    query: (one, values) => run(request, () => sql.query(one, values)),
    table: (name) => sql.table(name),
  })
  return {
    database: {
      ...database,
      sql: inTurn(database.sql),
      ...(replica && { replica: { ...replica, sql: inTurn(inTurnAtReplica(replica, request)) } }),
      transaction: (work) => run(request, () => database.transaction(work)),
    },
    limits: { take: (counted) => run(request, () => limits.take(counted)) },
  }
}

/** A statement that the replica fails waits for the primary in the queue of the client, too. */
const inTurnAtReplica = ({ sql, inTurnOf: run }: Replica, request: RequestFacts): Queryable => ({
  query: (one, values) => run(request, () => sql.query(one, values)),
  table: (name) => sql.table(name),
})

const runNow: AuthContext['afterCommit'] = (run) => run()

/** Runs a transaction, and after its commit the functions that it registered. */
async function withCompletions<T>(
  transaction: (afterCommit: AuthContext['afterCommit']) => Promise<T>,
): Promise<T> {
  const completions: (() => void)[] = []
  const result = await transaction((run) => completions.push(run))
  for (const run of completions) run()
  return result
}

/**
 * Returns a `Queryable` that begins no statement after the request has timed out. The client may
 * repeat the request by then, and must not meet the effect of the first one.
 */
const untilOver = (sql: Queryable, request: RequestFacts): Queryable => ({
  query: (one, values) =>
    request.isOver() ? Promise.reject(requestTimeout()) : sql.query(one, values),
  table: (name) => sql.table(name),
})
