import type { Database, PoolLoad } from '../../platform/sql/database.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { columns } from './columns.ts'
import type { ConnectionRoom } from './connection-room.ts'
import { describeDatabaseError } from './describe-database-error.ts'
import { onceAtStart } from './foreign-schema.ts'
import { migrationStatus } from './migration-status.ts'
import type { Orm } from './orm-options.ts'
import { hostQueryable } from './queryables.ts'
import { requireSameDatabase } from './same-database.ts'
import { type Namespace, type TableNames, tableNames } from './table-names.ts'
import { watchOutages } from './watch-outages.ts'

/** A database, on a server or embedded. */
export interface Connection {
  /** Statements outside a transaction. */
  sql: Queryable
  /** Runs the work in a transaction that is rolled back when it throws. */
  transaction<T>(work: (sql: Queryable) => Promise<T>): Promise<T>
  /**
   * Loads and opens the ORM during the work, for operations that need it, such as migrations. In a
   * running service it would take a third of the memory.
   */
  withOrm<T>(work: (orm: Orm) => Promise<T>): Promise<T>
  /** Returns the number of connections and of waiting requests. Absent for an embedded database. */
  load?(): PoolLoad
  /**
   * Runs work whose statements wait for a connection in the turn of a client. Absent for an
   * embedded database.
   */
  inTurnOf?: Database['inTurnOf']
  /** Stores a new embedded database, after its migration, for other projects of this machine. */
  keepPrepared?(): Promise<void>
  /** Counts the connections of all applications. Absent for an embedded database. */
  countConnections?(): Promise<ConnectionRoom>
  close(): Promise<void>
}

export type DatabaseDriver = (place: Namespace, names: TableNames) => Promise<Connection>

/** An open database with the operations of its owner. */
export interface OpenDatabase
  extends Database,
    Pick<Connection, 'withOrm' | 'load' | 'countConnections' | 'keepPrepared' | 'close'> {
  names: TableNames
}

/** Opens the database, which connects at its first use. */
export async function openDatabase(
  driver: DatabaseDriver,
  place: Namespace,
): Promise<OpenDatabase> {
  const names = tableNames(place)
  const { sql, transaction, withOrm, load, inTurnOf, countConnections, keepPrepared, close } =
    await driver(place, names)
  const requireOurs = requireSameDatabase(sql, names)
  const outages = watchOutages()
  return {
    names,
    sql: outages.watch(sql),
    lostMs: outages.lostMs,
    withOrm,
    ...(load && { load }),
    ...(inTurnOf && { inTurnOf }),
    ...(countConnections && { countConnections }),
    ...(keepPrepared && { keepPrepared }),
    close,
    pendingMigrations: async () => (await migrationStatus(sql, place)).pending,
    writeFault: () => writeFault(sql, place),
    transaction: (work) => described(() => transaction((one) => work({ sql: one }))),
    join: (host) => ({ sql: hostQueryable(host, names, requireOurs), run: described }),
  }
}

async function described<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw describeDatabaseError(error)
  }
}

const findReadOnly = statement<
  { schema: string; tables: string },
  { read_only: boolean; tables: readonly string[] }
>(
  'find_read_only',
  (_, $) => `
    select current_setting('transaction_read_only')::boolean as read_only, array(
      select t.tablename::text from jsonb_array_elements_text(${$.tables}::jsonb) name
      join pg_tables t on t.schemaname = ${$.schema} and t.tablename = name
      where not has_table_privilege(format('%I.%I', t.schemaname, t.tablename), 'insert')
      order by 1
    ) as tables`,
  { unprepared: onceAtStart },
)

/**
 * The reason why this connection cannot write to our tables; null where it can. A standby of
 * PostgreSQL accepts connections and reads, as does a user without privileges.
 */
export async function writeFault(
  sql: Queryable,
  { schema, namespace }: Namespace,
): Promise<string | null> {
  const tables = JSON.stringify(Object.keys(columns).map((name) => namespace + name))
  const [row] = await sql.query(findReadOnly, { schema, tables })
  if (row?.read_only) return 'the database is read-only'
  const [first, ...more] = row?.tables ?? []
  if (first === undefined) return null
  const others = more.length > 0 ? ` and ${more.length} other tables` : ''
  return `the database user may not write to ${first}${others}`
}
