import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { TableNames } from './table-names.ts'

/** Runs a statement in a transaction of the host. */
export type RunInHost = (text: string, values: unknown[]) => Promise<{ rows: unknown[] }>

/** Rejects a transaction of another database. */
export type RequireSameDatabase = (transaction: {
  /** An object that stays on one database, such as a pool: it is verified once. */
  of: object
  /** The name of the option in errors. */
  name: 'em' | 'tx'
  run: RunInHost
}) => Promise<void>

/** The name alone is not sufficient: many servers have a database `app`. */
const identify = statement<object, { identity: string | null }>(
  'identify_database',
  (sql) => `
    select current_database() || '/' || to_regclass('${sql.table('users')}')::oid as identity`,
  { unprepared: 'runs once for each source of transactions' },
)

/**
 * Compares databases by their name and by the OID of the table of users, which needs no privilege.
 * A physical copy with the same name on another server is not distinguished.
 *
 * @param sql statements of our own.
 */
export function requireSameDatabase(sql: Queryable, names: TableNames): RequireSameDatabase {
  const known = new WeakSet<object>()
  let own: Promise<unknown> | undefined
  const queryOwn = () => {
    own = sql.query(identify, {}).then(([row]) => row?.identity)
    own.catch(() => {
      own = undefined
    })
    return own
  }
  return async ({ of, name, run }) => {
    if (known.has(of)) return
    const { rows } = await run(names.built(identify, {}).text, [])
    const [row] = rows as { identity: string | null }[]
    if (!row) {
      throw new TypeError(
        `the method query of ${name} returned no row where there is one. It must return the rows of each statement`,
      )
    }
    const isOwn = async (identity: Promise<unknown>) => row.identity === (await identity)
    // The tables may have been created again since the last query.
    const isSame =
      row.identity !== null && ((await isOwn(own ?? queryOwn())) || (await isOwn(queryOwn())))
    if (!isSame) {
      throw new TypeError(
        `${name} runs its transaction in another database than the one of Latchkey's configuration, \`database\``,
      )
    }
    known.add(of)
  }
}
