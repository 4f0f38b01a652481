import type { TableName } from './tables.ts'

/**
 * What a table stores about people, said in the room that the table belongs to: what a person gets who
 * asks for it, and what is left when the person is erased. `accounts/lifecycle/personal-tables.ts` lists them all, and
 * `test/personal-tables.test.ts` finds a column that none of them speaks of.
 */
export interface PersonalTable<
  Row = Record<string, unknown>,
  Columns extends ColumnsOf<Row> = ColumnsOf<Row>,
> {
  name: TableName
  belongsBy: Belonging
  /** The column that identifies a row, and whose order an export has. Default: the first of `columns`. */
  key?: keyof Row & string
  /** Whether the person gets each of them. */
  columns: Columns
  erasure: Erasure<keyof Row & string>
}

/**
 * What makes a row a person's: columns with the person's id, a column with the id of a row of another table
 * that is the person's, or one with what things of the person are counted under.
 */
export type Belonging =
  | { ids: readonly string[] }
  | { parent: { name: TableName; belongsBy: Belonging }; column: string }
  | { key: string }

type ColumnsOf<Row> = { readonly [column in keyof Row & string]: typeof exported | Withheld }

/** The person gets it. */
export const exported: 'exported' = 'exported'

/** Nobody gets it, for the reason that is given. */
export const withheld = (reason: string): Withheld => ({ withheld: reason })

export interface Withheld {
  withheld: string
}

/**
 * What erasing a person does to the rows: they go, or they lose what tells whose they were. What is
 * kept has a reason.
 */
export type Erasure<Column extends string = string> =
  | { rows: 'deleted' }
  | { rows: 'kept'; cleared: readonly Column[]; kept: { readonly [column in Column]?: string } }

/** A room's word about its table. Called twice, since TypeScript infers all type arguments or none. */
export const personalTable =
  <Row>() =>
  <Columns extends ColumnsOf<Row>>(table: PersonalTable<Row, Columns>) =>
    table

/** A row as its person gets it: names in camelCase, instants in ISO 8601. */
export type ExportedRow<Row, Columns extends ColumnsOf<Row>> = {
  [column in keyof Row & string as Columns[column] extends Withheld
    ? never
    : CamelCase<column>]: Row[column]
}

/** `created_at` → `createdAt` */
export type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name

/** The names of the columns that the person gets. */
export const exportedColumns = ({ columns }: Pick<PersonalTable, 'columns'>): string[] =>
  Object.entries(columns).flatMap(([name, fate]) => (fate === exported ? name : []))
