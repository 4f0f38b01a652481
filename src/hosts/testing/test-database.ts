import { statement } from '../../platform/sql/statement.ts'
import type { TableName } from '../../platform/sql/tables.ts'
import { columns } from '../../service/persistence/columns.ts'
import type { OpenDatabase } from '../../service/persistence/open-database.ts'
import { takeSessionLock } from '../../service/persistence/session-lock.ts'
import type { Namespace } from '../../service/persistence/table-names.ts'

/** What a running service holds on to, and other tests have no part in. */
const kept = ['signing_keys']

/** Users first: what is theirs goes with them. */
const emptied = ['users', ...Object.keys(columns)].filter((name) => !kept.includes(name))

const deletions = emptied.map((name) =>
  statement<Record<string, never>, never>(
    `empty_${name}`,
    (sql) => `delete from ${sql.table(name as TableName)}`,
    { unprepared: 'tests alone ask it, now and then' },
  ),
)

/** Deletes whatever a test has left. Tables of the host follow as their foreign keys say. */
export const emptyTables = ({ transaction }: Pick<OpenDatabase, 'transaction'>): Promise<void> =>
  transaction(async ({ sql }) => {
    for (const deletion of deletions) await sql.query(deletion, {})
  })

/**
 * Refuses a database that may hold more than tests have left there, since tests empty it.
 *
 * @throws TypeError where its name does not have the word `test` in it, or it is no URL.
 */
export function requireTestDatabase(url: string): void {
  const { pathname } = URL.parse(url) ?? {}
  if (pathname === undefined)
    throw new TypeError('database has to be a URL such as postgres://user@127.0.0.1:5432/app_test')
  const name = decodeURIComponent(pathname.slice(1))
  if (/(^|[^a-z])tests?([^a-z]|$)/i.test(name)) return
  throw new TypeError(
    'Tests empty their database: give them one with the word test in its name, such as app_test',
  )
}

/** Tests that have just ended may still be closing theirs. */
const patienceMs = 3_000

/**
 * Keeps other tests from the tables for as long as these run: each empties them, and would take away the users of the others.
 *
 * @returns what lets others in.
 * @throws Error where other tests hold them.
 */
export async function holdTables(
  url: string,
  { schema, namespace }: Namespace,
): Promise<() => Promise<void>> {
  const giveBack = await takeSessionLock(url, `latchkey tests ${schema}.${namespace}`, patienceMs)
  if (giveBack) return giveBack
  throw new Error(
    `Other tests use the schema ${schema} of this database at the moment, and each empties it: give each test file a schema ` +
      'or database of its own, or run them one after another',
  )
}
