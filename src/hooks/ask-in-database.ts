import { AuthError } from '../errors/auth-error.ts'
import { isError } from '../kit/is-error.ts'
import { isRecord } from '../kit/is-record.ts'
import type { Queryable } from '../sql/queryable.ts'
import { hookFailed, hookTimeout } from './hook-errors.ts'
import { type HookOutcome, type HookOutput, readOutput } from './hook-outcome.ts'

/** Where functions of the database are called: in a transaction of their own. */
export interface HookDatabase {
  transaction<T>(work: (unit: { sql: Queryable }) => Promise<T>): Promise<T>
}

/** The configuration lets through no name that would not be safe between quotes. */
const form = /^pg-functions:\/\/[^/]+\/(\w+)\/(\w+)$/

export const isInDatabase = (uri: string): boolean => form.test(uri)

const timeoutSeconds = 2

/**
 * Asks a function of the database, `pg-functions://postgres/<schema>/<function>`: it takes the payload as
 * JSON and returns JSON. What it writes is kept if it returns.
 */
export async function askInDatabase(
  database: HookDatabase,
  uri: string,
  payload: HookOutput,
): Promise<HookOutcome> {
  try {
    const output = await database.transaction(({ sql }) => call(sql, uri, payload))
    if (output === null) return { output: {} }
    return isRecord(output)
      ? readOutput(output)
      : { error: hookFailed('Error unmarshaling JSON output.'), isFinal: true }
  } catch (error) {
    return { error: inOurWords(error), isFinal: false }
  }
}

async function call(sql: Queryable, uri: string, payload: HookOutput): Promise<unknown> {
  const [, schema, name] = form.exec(uri) ?? []
  const once = (text: string, ...values: unknown[]) =>
    sql.query<{ output: unknown }>({ name: '', text: () => text, values })
  await once(`set local statement_timeout = '${timeoutSeconds}s'`)
  const [row] = await once(`select "${schema}"."${name}"($1) as output`, JSON.stringify(payload))
  return row?.output ?? null
}

const queryCanceled = '57014'

/** What the database says may quote rows, so that only the log learns of it. */
function inOurWords(error: unknown): unknown {
  if (wasCanceled(error)) return hookTimeout(timeoutSeconds)
  return error instanceof AuthError ? error : hookFailed('Error running hook', error)
}

const wasCanceled = (error: unknown): boolean =>
  isError(error) && (('code' in error && error.code === queryCanceled) || wasCanceled(error.cause))
