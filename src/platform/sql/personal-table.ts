import type { TableName } from './tables.ts'

/**
 * The personal data of a table, declared in the folder that owns the table: the columns that an
 * export contains, and the effect of erasure. `accounts/lifecycle/personal-tables.ts` lists all,
 * and `test/personal-tables.test.ts` finds columns that are not declared.
 */
export interface PersonalTable<
  Row = Record<string, unknown>,
  Columns extends ColumnsOf<Row> = ColumnsOf<Row>,
> {
  name: TableName
  belongsBy: Belonging
  /** Whether the table is unlogged: a replica does not contain its rows. */
  isUnlogged?: true
  /**
   * The column that identifies a row and determines the order of an export. Default: the first of
   * `columns`.
   */
  key?: keyof Row & string
  /** Whether an export contains each column. */
  columns: Columns
  erasure: Erasure<keyof Row & string>
}

/**
 * How a row belongs to a user: by columns with the user's id, by a column with the id of another
 * row of the user, or by a column with keys of the user's counters.
 */
export type Belonging =
  | { ids: readonly string[] }
  | { parent: { name: TableName; belongsBy: Belonging }; column: string }
  | { key: string }

type ColumnsOf<Row> = { readonly [column in keyof Row & string]: typeof exported | Withheld }

/** The export contains the column. */
export const exported: 'exported' = 'exported'

/** Excludes a column from the export, for the given reason. */
export const withheld = (reason: string): Withheld => ({ withheld: reason })

export interface Withheld {
  withheld: string
}

/**
 * The effect of erasure on the rows: they are deleted, or the columns that identify the user are
 * cleared. Each column that is kept has a reason.
 */
export type Erasure<Column extends string = string> =
  | { rows: 'deleted' }
  | { rows: 'kept'; cleared: readonly Column[]; kept: { readonly [column in Column]?: string } }

/** Declares a table. Called twice, since TypeScript infers all type arguments or none. */
export const personalTable =
  <Row>() =>
  <Columns extends ColumnsOf<Row>>(table: PersonalTable<Row, Columns>) =>
    table

/** A row in the form of an export: names in camelCase, instants in ISO 8601. */
export type ExportedRow<Row, Columns extends ColumnsOf<Row>> = {
  [column in keyof Row & string as Columns[column] extends Withheld
    ? never
    : CamelCase<column>]: Row[column]
}

/** `created_at` → `createdAt` */
export type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name

/** Returns the names of the exported columns. */
export const exportedColumns = ({ columns }: Pick<PersonalTable, 'columns'>): string[] =>
  Object.entries(columns).flatMap(([name, fate]) => (fate === exported ? name : []))
