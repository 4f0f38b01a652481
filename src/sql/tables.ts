/**
 * The rows of each table, by its name. An entity says them beside itself:
 * `declare module '../sql/tables.ts' { interface Tables { sessions: RowOf<Session> } }`.
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

/** Rows for `Queryable.insertRows`: keys are columns; dates become ISO 8601 text. */
export const rowsOf = <Name extends keyof Tables>(
  _table: Name,
  ...rows: readonly NewRow<Name>[]
): Rows<Name> => JSON.stringify(rows) as Rows<Name>
