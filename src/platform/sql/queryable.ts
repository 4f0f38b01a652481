import type { ParameterValues, Placeholders, Statement } from './statement.ts'
import type { TableFragments } from './tables.ts'

/** Where statements go: the pool, or the connection of a running transaction. */
export interface Queryable extends Pick<TableFragments, 'table'> {
  /** Every column costs: on the hot path they come as one of JSON. */
  query<Parameters, Row>(
    statement: Statement<Parameters, Row>,
    values: NoInfer<Parameters>,
  ): Promise<Row[]>
}

/** What a statement does before all else, and may forbid the rest: its text, and the values of one call. */
export interface Precondition<Spent, Parameters = ParameterValues> {
  text: PreconditionText<Spent, Parameters>
  values: Parameters
}

/**
 * Common table expressions, of which `spent` says in `allowed` whether the rest may happen. Each has its text once:
 * statements are made by it.
 *
 * @param condition without which nothing is spent nor allowed.
 */
export type PreconditionText<Spent, Parameters = ParameterValues> = {
  // As a method it fits where the names of its parameters are not known.
  text(sql: TableFragments, $: Placeholders<Parameters>, condition?: string): string
}['text'] & { readonly '~spent'?: Spent }
