import type { Hidden, Opt } from '@mikro-orm/core'

/** A column's name: `createdAt` → `created_at`. */
type ColumnName<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${ColumnName<Rest>}`
  : Name

/** A reference to another row is stored as the id of that row. */
type Column<Name extends string, Value> = Value extends { id: unknown }
  ? `${ColumnName<Name>}_id`
  : ColumnName<Name>

/** Instants are text in ISO 8601, as PostgreSQL writes them into JSON. */
type Stored<Value> = Value extends Date
  ? string
  : Value extends { id: infer Id }
    ? Id
    : Unmarked<Value>

/** The type without the ORM's markers for defaults and hidden properties. */
type Unmarked<Value> =
  Value extends Opt<infer Plain> ? Plain : Value extends Hidden<infer Plain> ? Plain : Value

/**
 * The rows of an entity's table, as PostgreSQL writes them into JSON. Only the entity defines a
 * table: a new column is part of this type, and the compiler reports lists of columns without it.
 */
export type RowOf<Entity> = {
  [Name in keyof Entity & string as Column<Name, NonNullable<Entity[Name]>>]-?: Stored<
    Exclude<Entity[Name], undefined>
  >
}
