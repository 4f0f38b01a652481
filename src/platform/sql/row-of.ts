import type { Hidden, Opt } from '@mikro-orm/core'

/** A name as tables spell it: `createdAt` → `created_at`. */
type ColumnName<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${ColumnName<Rest>}`
  : Name

/** What refers to another row is stored as the id of that row. */
type Column<Name extends string, Value> = Value extends { id: unknown }
  ? `${ColumnName<Name>}_id`
  : ColumnName<Name>

/** Instants are text in ISO 8601, as PostgreSQL writes them into JSON. */
type Stored<Value> = Value extends Date
  ? string
  : Value extends { id: infer Id }
    ? Id
    : Unmarked<Value>

/** Without the marks that the ORM puts on what has a default, or is hidden. */
type Unmarked<Value> =
  Value extends Opt<infer Plain> ? Plain : Value extends Hidden<infer Plain> ? Plain : Value

/**
 * The rows of the table that an entity describes, as PostgreSQL writes them into JSON. The entity is the one place
 * where a table is said: a column that it gets is one here, and whoever lists columns is told by the compiler.
 */
export type RowOf<Entity> = {
  [Name in keyof Entity & string as Column<Name, NonNullable<Entity[Name]>>]-?: Stored<
    Exclude<Entity[Name], undefined>
  >
}
