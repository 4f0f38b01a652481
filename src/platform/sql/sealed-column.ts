import type { Tables } from './tables.ts'

/** A column whose values are sealed with a root key. */
export interface SealedColumn {
  table: keyof Tables & string
  column: string
  /** The column that identifies a row. */
  id: string
  /** The type of that column. Default: `uuid`. */
  idType?: 'text'
  /** The name of the values in the output of commands. */
  name: string
  /**
   * Returns the context of a row's box; null if it is not stored, so that the values can only
   * expire.
   */
  boxOf: ((id: string) => string) | null
  /** A condition for the rows that are still in use. */
  inUse?: string
  /** A condition for the rows that may be resealed now. */
  isFree?: string
}
