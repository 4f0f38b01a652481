import { AuthError } from '../../platform/errors/auth-error.ts'
import { isError } from '../../platform/kit/is-error.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { hookFailed, hookTimeout } from './hook-errors.ts'
import {
  type HookOutcome,
  type HookOutput,
  type PayloadOfHook,
  readOutput,
} from './hook-outcome.ts'

/** Runs functions of the database, each in its own transaction. */
export interface HookDatabase {
  transaction<T>(work: (unit: { sql: Queryable }) => Promise<T>): Promise<T>
}

/** Names that are safe between quotes; the configuration rejects all others. */
const form = /^pg-functions:\/\/[^/]+\/(\w+)\/(\w+)$/

/** A function of the database. */
export interface DatabaseFunction {
  schema: string
  name: string
}

/** Returns the function that the URI of a hook contains; null for another URI. */
export function functionOf(uri: string): DatabaseFunction | null {
  const [, schema, name] = form.exec(uri) ?? []
  return schema === undefined || name === undefined ? null : { schema, name }
}

const timeoutSeconds = 2

/**
 * Calls a database function with the payload as JSON; it returns JSON. Its writes are committed if
 * it returns.
 */
export async function callDatabaseHook(
  database: HookDatabase,
  called: DatabaseFunction,
  { point, payload }: PayloadOfHook,
): Promise<HookOutcome> {
  try {
    const output = await database.transaction(({ sql }) => call(sql, called, payload))
    return readOutput(point, output)
  } catch (error) {
    return { error: toHookError(error), isFinal: false }
  }
}

const limitTime = statement(
  'limit_time_of_hook',
  () => `set local statement_timeout = '${timeoutSeconds}s'`,
  { unprepared: 'there is nothing to plan' },
)

async function call(
  sql: Queryable,
  { schema, name }: DatabaseFunction,
  payload: HookOutput,
): Promise<unknown> {
  const callHook = statement<{ payload: string }, { output: unknown }>(
    'call_hook',
    (_, $) => `select "${schema}"."${name}"(${$.payload}) as output`,
    { unprepared: 'the configuration determines the function' },
  )
  await sql.query(limitTime, {})
  const [row, ...more] = await sql.query(callHook, { payload: JSON.stringify(payload) })
  // If there are several rows, any may be a rejection.
  if (more.length > 0) throw hookFailed('The function of the hook must return one row')
  return row?.output ?? null
}

const queryCanceled = '57014'

/** Converts an error. The database's message may quote rows, so it is logged only. */
function toHookError(error: unknown): unknown {
  if (wasCanceled(error)) return hookTimeout(timeoutSeconds)
  return error instanceof AuthError ? error : hookFailed('Error running hook', error)
}

const wasCanceled = (error: unknown): boolean =>
  isError(error) && (('code' in error && error.code === queryCanceled) || wasCanceled(error.cause))
