import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { TableNames } from './table-names.ts'

/** Runs a statement in a transaction of the host's. */
export type RunInHost = (text: string, values: unknown[]) => Promise<{ rows: unknown[] }>

/** Refuses a transaction of another database. */
export type RequireSameDatabase = (transaction: {
  /** What stays on one database: it is asked once for each. */
  of: object
  /** What errors call it. */
  name: 'em' | 'tx'
  run: RunInHost
}) => Promise<void>

/** A name alone would not do: there is an `app` on every server. */
const identify = statement<object, { identity: string | null }>(
  'identify_database',
  (sql) => `
    select current_database() || '/' || to_regclass('${sql.table('users')}')::oid as identity`,
  { unprepared: 'it is asked once for each place that transactions come from' },
)

/**
 * Compares databases by their name and by the OID of the table of users, which no right is needed for. A physical copy
 * of the same name on another server is not told apart.
 *
 * @param sql statements of our own.
 */
export function requireSameDatabase(sql: Queryable, names: TableNames): RequireSameDatabase {
  const known = new WeakSet<object>()
  let own: Promise<unknown> | undefined
  const askOwn = () => {
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
        `the method query of ${name} answered no row where there is one: it has to answer the rows of each statement`,
      )
    }
    const isOwn = async (asked: Promise<unknown>) => row.identity === (await asked)
    // Ours may have been made anew since we asked.
    const isSame =
      row.identity !== null && ((await isOwn(own ?? askOwn())) || (await isOwn(askOwn())))
    if (!isSame) {
      throw new TypeError(
        `${name} runs its transaction in another database than the one of Latchkey's configuration, \`database\``,
      )
    }
    known.add(of)
  }
}
