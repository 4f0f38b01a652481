/**
 * The rows of each table, by its name. An entity says them beside itself:
 * `declare module './tables.ts' { interface Tables { sessions: RowOf<Session> } }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: each entity adds to it
export interface Tables {}

/** The steps that the schema has taken are no entity's. */
export type TableName = (keyof Tables & string) | 'latchkey_migrations'

/** A row as it is inserted: what may be null may be left out. */
export type NewRow<Name extends keyof Tables> = {
  [Column in keyof Tables[Name] as null extends Tables[Name][Column]
    ? never
    : Column]: Tables[Name][Column]
} & {
  [Column in keyof Tables[Name] as null extends Tables[Name][Column]
    ? Column
    : never]?: Tables[Name][Column]
}

/** Rows of one table as JSON, as one parameter of a statement. */
export type Rows<Name extends keyof Tables> = string & { readonly '~rowsOf': Name }

/** No rows, of whatever table. */
export const noRows = '[]' as Rows<never>

/** Rows for {@link TableFragments.insertRows}: keys are columns; dates become ISO 8601 text. */
export const rowsOf = <Name extends keyof Tables>(
  _table: Name,
  ...rows: readonly NewRow<Name>[]
): Rows<Name> => JSON.stringify(rows) as Rows<Name>

/** All of them, as one parameter. */
export const joinRows = <Name extends keyof Tables>(
  ...parts: readonly (Rows<Name> | Rows<never> | undefined)[]
): Rows<Name> => {
  const inner = parts.map((rows = noRows) => rows.slice(1, -1)).filter((rows) => rows !== '')
  return `[${inner.join()}]` as Rows<Name>
}

/** An expression for rows of one table as JSON: what stands in a text for {@link Rows}, or what is made of it. */
export type RowsExpression<Name extends keyof Tables> = string & {
  readonly '~rowsExpressionOf': Name
}

/** The parts of a text that name tables. They alone know schema and prefix, so that no noun does. */
export interface TableFragments {
  /** The quoted, schema-qualified name of one of our tables: `sessions` → `"auth"."app_sessions"`. */
  table(name: TableName): string
  /**
   * An insert whose rows are a JSON array, mostly one parameter in the form that {@link rowsOf} writes:
   * `insertRows('sessions', $.sessionRows)`. An empty array inserts nothing, which makes a part of a statement
   * optional.
   */
  insertRows<Name extends keyof Tables>(table: Name, rows: RowsExpression<NoInfer<Name>>): string
  /**
   * What follows {@link insertRows} where a row may take the place of another one: the clause for rows
   * that have the same values in the columns of `key`.
   */
  overwrite(table: TableName, key: string): string
  /**
   * What follows `set` in an update of a row under the alias `row`: every column as a JSON object says,
   * and as it is where the object is silent; a `version` is counted up, whatever the object says.
   * `update users u set ${sql.setColumns('users', 'u', $.changes)}`.
   *
   * @param changes an expression for the object.
   */
  setColumns(table: TableName, row: string, changes: string): string
}

/** What is selected of a row that is another room's: an expression, or columns with their names. */
export interface Selection<Selected> {
  (sql: TableFragments, row: string): string
  readonly '~selected': Selected
}

/**
 * Says a {@link Selection}, once: statements are made by it.
 *
 * @param text is given the alias of the table in the statement around it.
 */
export const selection = <Selected>(
  text: (sql: TableFragments, row: string) => string,
): Selection<Selected> => text as Selection<Selected>
