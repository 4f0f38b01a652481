import { statement } from '../../platform/sql/statement.ts'
import type { TableName } from '../../platform/sql/tables.ts'
import { columns } from '../../service/persistence/columns.ts'
import { embeddedPostgresDriver } from '../../service/persistence/embedded-postgres.ts'
import { type OpenDatabase, openDatabase } from '../../service/persistence/open-database.ts'
import { takeSessionLock } from '../../service/persistence/session-lock.ts'
import type { Namespace } from '../../service/persistence/table-names.ts'

/** Tables that a running service depends on, and that are not part of a test. */
const kept = ['signing_keys']

/** Users first: their data are deleted with them. */
const emptied = ['users', ...Object.keys(columns)].filter((name) => !kept.includes(name))

const deletions = emptied.map((name) =>
  statement<Record<string, never>, never>(
    `empty_${name}`,
    (sql) => `delete from ${sql.table(name as TableName)}`,
    { unprepared: 'it runs in tests only, now and then' },
  ),
)

/** Deletes all data of a test. Tables of the host follow by their foreign keys. */
export const emptyTables = ({ transaction }: Pick<OpenDatabase, 'transaction'>): Promise<void> =>
  transaction(async ({ sql }) => {
    for (const deletion of deletions) await sql.query(deletion, {})
  })

/**
 * Rejects a database that may contain other data than those of tests, since tests empty it.
 *
 * @throws TypeError if its name lacks the word `test`, or it is not a URL.
 */
export function requireTestDatabase(url: string): void {
  const { pathname } = URL.parse(url) ?? {}
  if (pathname === undefined)
    throw new TypeError('database must be a URL such as postgres://user@127.0.0.1:5432/app_test')
  const name = decodeURIComponent(pathname.slice(1))
  if (/(^|[^a-z])tests?([^a-z]|$)/i.test(name)) return
  throw new TypeError(
    'Tests empty their database: use one with the word test in its name, such as app_test',
  )
}

/** How long to wait for tests that have just ended and are closing theirs. */
const patienceMs = 3_000

/**
 * Locks the tables for other tests: each empties them, and would delete the users of the others.
 *
 * @returns a function that releases the lock.
 * @throws Error if other tests hold it.
 */
export async function holdTables(
  url: string,
  { schema, namespace }: Namespace,
): Promise<() => Promise<void>> {
  const giveBack = await takeSessionLock(url, `latchkey tests ${schema}.${namespace}`, patienceMs)
  if (giveBack) return giveBack
  throw new Error(
    `Other tests use the schema ${schema} of this database now, and each empties it: use a separate schema or ` +
      'database for each test file, or run them one after another',
  )
}

interface Idle {
  database: OpenDatabase
  closing: NodeJS.Timeout
}

/** Idle embedded databases, by schema and prefix of their tables. Opening one takes a second. */
const idle = new Map<string, Idle[]>()

/** How long one waits for the next test. It keeps the process alive meanwhile. */
const idleMs = 500

/** Opens an embedded database in memory: an idle one of an earlier test, or a new one. */
export async function openEmbedded(place: Namespace): Promise<OpenDatabase> {
  const key = `${place.schema}.${place.namespace}`
  const waiting = idle.get(key) ?? []
  idle.set(key, waiting)
  const left = waiting.pop()
  clearTimeout(left?.closing)
  const database = left?.database ?? (await openDatabase(embeddedPostgresDriver(null), place))
  const leave = async () => {
    const one: Idle = { database, closing: setTimeout(() => void end(one), idleMs) }
    waiting.push(one)
  }
  const end = async (one: Idle) => {
    waiting.splice(waiting.indexOf(one), 1)
    await database.close()
  }
  return { ...database, close: leave }
}
