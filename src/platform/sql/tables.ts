/**
 * The rows of each table, by its name. Each entity declares its own: `declare module './tables.ts'
 * { interface Tables { sessions: RowOf<Session> } }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: each entity adds to it
export interface Tables {}

/** The table of applied migrations has no entity. */
export type TableName = (keyof Tables & string) | 'latchkey_migrations'

/** A row to insert: nullable columns are optional. */
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

/** No rows, for any table. */
export const noRows = '[]' as Rows<never>

/**
 * Returns rows for {@link TableFragments.insertRows}: keys are columns; dates become ISO 8601 text.
 */
export const rowsOf = <Name extends keyof Tables>(
  _table: Name,
  ...rows: readonly NewRow<Name>[]
): Rows<Name> => (rows.length === 0 ? noRows : JSON.stringify(rows)) as Rows<Name>

/** Joins rows into one parameter. */
export const joinRows = <Name extends keyof Tables>(
  ...parts: readonly (Rows<Name> | Rows<never> | undefined)[]
): Rows<Name> => {
  const held = parts.filter((rows = noRows) => rows !== noRows)
  if (held.length === 0) return noRows as Rows<Name>
  return `[${held.map((rows = noRows) => rows.slice(1, -1)).join()}]` as Rows<Name>
}

/**
 * An SQL expression for rows of one table as JSON: the placeholder of {@link Rows}, or an
 * expression that uses it.
 */
export type RowsExpression<Name extends keyof Tables> = string & {
  readonly '~rowsExpressionOf': Name
}

/** The parts of a text with table names. Only these contain schema and prefix. */
export interface TableFragments {
  /** Returns the quoted, schema-qualified name of a table: `sessions` → `"auth"."app_sessions"`. */
  table(name: TableName): string
  /**
   * Returns an insert whose rows are a JSON array, usually one parameter from {@link rowsOf}:
   * `insertRows('sessions', $.sessionRows)`. An empty array inserts nothing, which makes a part of
   * a statement optional.
   */
  insertRows<Name extends keyof Tables>(table: Name, rows: RowsExpression<NoInfer<Name>>): string
  /**
   * Returns the clause after {@link insertRows} that replaces existing rows with the same values in
   * the columns of `key`.
   */
  overwrite(table: TableName, key: string): string
  /**
   * Returns the assignments after `set` in an update of a row with the alias `row`: every column
   * gets its value in a JSON object, or keeps its own if the object lacks it; `version` is always
   * incremented. `update users u set ${sql.setColumns('users', 'u', $.changes)}`.
   *
   * @param changes an expression for the object.
   */
  setColumns(table: TableName, row: string, changes: string): string
  /**
   * The common table expressions by which capabilities end what they granted to users, each
   * preceded by a comma; empty if no capability grants anything.
   *
   * @param users a common table expression with the ids of the users as `id`.
   */
  grantEndings(users: string): string
  /** Those by which capabilities end the consents of users to applications. */
  consentEndings(users: string): string
  /**
   * Those by which capabilities report the end of sessions, such as to the clients that the sessions
   * belong to.
   *
   * @param sessions a common table expression with the columns of `endedColumns`.
   */
  sessionReports(sessions: string): string
}

/** The selected columns of another folder's row: an expression, or columns with names. */
export interface Selection<Selected> {
  (sql: TableFragments, row: string): string
  readonly '~selected': Selected
}

/**
 * Defines a {@link Selection}, once, since statements are cached by it.
 *
 * @param text receives the alias of the table in the enclosing statement.
 */
export const selection = <Selected>(
  text: (sql: TableFragments, row: string) => string,
): Selection<Selected> => text as Selection<Selected>
