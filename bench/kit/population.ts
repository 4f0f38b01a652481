import { runSql } from '../../test/support/sql.ts'
import type { Copies, Operation, Target } from '../targets/target.ts'
import { templateEmail } from './people.ts'

export interface Visit {
  n: number
  times: number
}

/** A target and its database. */
interface Home {
  target: Target
  databaseUrl: string
}

/**
 * Visits to neighbouring rows are avoided: the step has no common factor with any size of a table.
 */
const stride = 7919

/** The users of a database, and how often each has performed an operation. */
export class Population {
  /** The number of users with a session. Users who sign out have higher numbers. */
  readonly size: number
  readonly #done = new Map<Operation, number>()

  constructor(size: number) {
    this.size = size
  }

  /** Returns the users of the next requests: all users in turn, and none twice at once. */
  async visits(home: Home, operation: Operation, count: number): Promise<Visit[]> {
    if (operation === 'sign-out') return this.#leavers(home, count)
    const done = this.#done.get(operation) ?? 0
    this.#done.set(operation, done + count)
    const isNew = operation === 'sign-up'
    return Array.from({ length: count }, (_, index) => {
      const turn = done + index
      if (isNew) return { n: turn, times: 0 }
      return { n: 1 + ((turn * stride) % this.size), times: Math.floor(turn / this.size) }
    })
  }

  /** Returns users who sign out. They receive sessions first, since a sign-out ends them. */
  async #leavers({ target, databaseUrl }: Home, count: number): Promise<Visit[]> {
    const [from, to] = [this.size + 1, this.size + count]
    await copy(databaseUrl, target.users, from, to)
    await copy(databaseUrl, target.sessions, from, to)
    return Array.from({ length: count }, (_, index) => ({ n: from + index, times: 0 }))
  }
}

/** Signs up one user, and copies the rows until all users exist. */
export async function populate({
  target,
  databaseUrl,
  people,
  url,
}: Home & { people: Population; url: string }): Promise<void> {
  const ask = target.asks['sign-up']?.(0, 0)
  if (!ask) throw new Error(`${target.name} supports no sign-up`)
  const { method, path, headers = {}, body } = ask
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, email: templateEmail }),
  })
  if (!answer.ok) throw new Error(`${target.name}: ${answer.status} ${await answer.text()}`)
  await copy(databaseUrl, target.users, 1, people.size)
  await copy(databaseUrl, target.sessions, 1, people.size)
}

/**
 * Copies the template's rows for each `n` without rows. Columns without changes are copied as they
 * are.
 */
async function copy(url: string, tables: Copies[], from: number, to: number): Promise<void> {
  for (const { table, of, changes } of tables) {
    const pairs = Object.entries(changes).map(([column, value]) => `'${column}', ${value}`)
    await runSql(
      url,
      `insert into ${table}
      select (jsonb_populate_record(t, jsonb_build_object(${pairs.join(', ')}))).*
      from ${table} t, generate_series(${from}, ${to}) n where ${of}
      on conflict do nothing`,
    )
  }
}
