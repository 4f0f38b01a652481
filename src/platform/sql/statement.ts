import { sha256Hex } from '../kit/digest.ts'
import type { Rows, RowsExpression, TableFragments } from './tables.ts'

/**
 * A statement that is defined once: its text, and the types of its parameters and rows. The text
 * receives the names of tables and the placeholders as arguments, so that it depends on nothing
 * else.
 */
export interface Statement<Parameters, Row> {
  /** A name for logs, and for the server's list of plans. */
  readonly name: string
  readonly text: (sql: TableFragments, $: Placeholders<Parameters>) => string
  /** The reason why the server stores no plan for it; null if it stores one per connection. */
  readonly unprepared: string | null
  readonly '~row'?: Row
}

/** The placeholder of each parameter: it gets its number at its first use. */
export type Placeholders<Parameters> = {
  readonly [Name in keyof Parameters]-?: Parameters[Name] extends Rows<infer Table>
    ? RowsExpression<Table>
    : Parameters[Name] extends object
      ? Placeholders<Parameters[Name]>
      : string
}

/**
 * Values of parameters by name. Instants are text in ISO 8601, lists are JSON or in PostgreSQL's
 * notation. A group contains the values of a part that another folder defines, with separate names.
 */
export interface ParameterValues {
  readonly [name: string]: Value | ParameterValues
}

type Value = string | number | boolean | null

/** `ParameterValues` for an interface, which TypeScript does not consider closed. */
type ValuesOf<Parameters> = {
  readonly [Name in keyof Parameters]: Parameters[Name] extends Value | ParameterValues | undefined
    ? Parameters[Name]
    : never
}

export interface StatementOptions {
  /**
   * The reason why the server plans the statement for each execution: a stored plan would be the
   * same for all values.
   */
  unprepared?: string
}

/**
 * Defines a statement, once: when its module is loaded or by {@link memoize}. Its text is built at
 * the first use and cached.
 *
 * @example
 * const lockUser = statement<{ userId: string }>(
 *   'lock_user',
 *   (sql, $) => `select id from ${sql.table('users')} where id = ${$.userId} for update`,
 * )
 * await sql.query(lockUser, { userId })
 */
export const statement = <Parameters extends ValuesOf<Parameters>, Row = unknown>(
  name: string,
  text: Statement<Parameters, Row>['text'],
  { unprepared }: StatementOptions = {},
): Statement<Parameters, Row> => ({ name, text, unprepared: unprepared ?? null })

/** A statement with its built text. */
export interface BuiltStatement {
  /**
   * The name of the stored plan; empty if there is none. It contains a digest of the text, so it is
   * unique for it.
   */
  planName: string
  text: string
  /** The values of `$1` and the following numbers. */
  parameters: readonly Parameter[]
}

interface Parameter {
  name: string
  /** The name of its group; null without one. */
  group: string | null
}

/**
 * Builds the text.
 *
 * @param values of one call: they determine the parameters.
 * @throws TypeError if they differ from those that the text uses, or if the text contains a number.
 */
export function buildStatement<Parameters, Row>(
  { name, text: textOf, unprepared }: Statement<Parameters, Row>,
  sql: TableFragments,
  values: ParameterValues,
): BuiltStatement {
  const { $, parameters } = numbering(values)
  const text = textOf(sql, $ as Placeholders<Parameters>)
  const used = new Set(text.match(numbered))
  const placeholders = new Set(parameters.map((_, at) => `$${at + 1}`))
  const byHand = [...used].filter((number) => !placeholders.has(number))
  if (byHand.length > 0)
    throw new TypeError(`the statement ${name} contains ${byHand}: use its placeholders`)

  const given = parametersOf(values).map(fullName)
  const wanted = parameters.filter((_, at) => used.has(`$${at + 1}`)).map(fullName)
  const unused = given.filter((parameter) => !wanted.includes(parameter))
  if (unused.length > 0) throw new TypeError(`the statement ${name} does not use ${unused}`)
  const missing = wanted.filter((parameter) => !given.includes(parameter))
  if (missing.length > 0) throw new TypeError(`the statement ${name} requires ${missing}`)
  return { planName: unprepared === null ? planNameOf(name, text) : '', text, parameters }
}

/** Does not match the beginning of a quoted text, such as `$2y$10$` of a hash. */
const numbered = /\$\d+(?![\w$])/g

/**
 * Returns the values of one call, in the order of their numbers. A loop takes a third of the time
 * of `map`.
 */
export function orderValues({ parameters }: BuiltStatement, values: ParameterValues): unknown[] {
  const ordered: unknown[] = []
  for (const { name, group } of parameters) {
    ordered.push(group === null ? values[name] : (values[group] as ParameterValues)[name])
  }
  return ordered
}

/** PostgreSQL truncates longer names. */
const maxPlanNameLength = 63
const digestLength = 8

const planNameOf = (name: string, text: string): string =>
  `${name.slice(0, maxPlanNameLength - digestLength - 1)}:${sha256Hex(text).slice(0, digestLength)}`

/** Assigns each parameter its number when the text first uses its placeholder. */
function numbering(values: ParameterValues) {
  const parameters: Parameter[] = []
  const numbers = new Map<string, number>()
  const placeholder = (parameter: Parameter): string => {
    const key = fullName(parameter)
    const number = numbers.get(key) ?? parameters.push(parameter)
    numbers.set(key, number)
    return `$${number}`
  }
  const placeholdersOf = (group: string | null, known: ParameterValues) =>
    new Proxy(
      {},
      {
        get: (_, name: string): unknown => {
          const value = known[name]
          return isGroup(value) ? placeholdersOf(name, value) : placeholder({ name, group })
        },
      },
    )
  return { $: placeholdersOf(null, values), parameters }
}

const fullName = ({ name, group }: Parameter): string =>
  group === null ? name : `${group}.${name}`

const parametersOf = (values: ParameterValues, group: string | null = null): Parameter[] =>
  Object.entries(values).flatMap(([name, value]) =>
    isGroup(value) ? parametersOf(value, name) : { name, group },
  )

const isGroup = (value: ParameterValues[string] | undefined): value is ParameterValues =>
  typeof value === 'object' && value !== null
