import type { TableName } from './tables.ts'

/** A statement with a name, under which its text is kept here and its plan by the server. */
export interface NamedQuery {
  /** Stands for one text; empty for one that is used once. */
  name: string
  /** Builds the text, from the names of tables alone: what was built once serves ever after. */
  text(): string
  values: readonly unknown[]
}

/**
 * Where statements go: the pool, or the connection of a running transaction. It alone knows schema
 * and prefix, so that no noun does.
 */
export interface Queryable {
  /** Every column costs: on the hot path they come as one of JSON. */
  query<Row>(statement: NamedQuery): Promise<Row[]>
  /** The quoted, schema-qualified name of one of our tables: `sessions` → `"auth"."app_sessions"`. */
  table(name: TableName): string
  /**
   * The text of an insert whose rows are a JSON array, mostly one parameter in the form that
   * `rowsOf` writes: `insertRows('sessions', '$2')`. An empty array inserts nothing, which
   * makes a part of a statement optional.
   *
   * @param rows an expression for the array.
   */
  insertRows(table: TableName, rows: string): string
  /**
   * What follows {@link insertRows} where a row may take the place of another one: the clause for rows
   * that have the same values in the columns of `key`.
   */
  overwrite(table: TableName, key: string): string
  /**
   * What follows `set` in an update of a row under the alias `row`: every column as a JSON object says,
   * and as it is where the object is silent; a `version` is counted up, whatever the object says.
   * `update users u set ${sql.setColumns('users', 'u', '$1')}`.
   *
   * @param changes an expression for the object.
   */
  setColumns(table: TableName, row: string, changes: string): string
}

/** What a statement does before all else, and may forbid the rest. */
export interface Precondition {
  /**
   * Common table expressions, of which `spent` says in `allowed` whether the rest may happen. The
   * parameters of their own are `$1` and those that follow; the statement goes on from there.
   *
   * @param condition without which nothing is spent nor allowed.
   */
  expressions(sql: Queryable, condition?: string): string
  values: readonly unknown[]
}
