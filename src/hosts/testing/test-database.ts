import { statement } from '../../platform/sql/statement.ts'
import type { TableName } from '../../platform/sql/tables.ts'
import { columns } from '../../service/persistence/columns.ts'
import type { OpenDatabase } from '../../service/persistence/open-database.ts'
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
