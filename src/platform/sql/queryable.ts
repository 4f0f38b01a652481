import type { ParameterValues, Placeholders, Statement } from './statement.ts'
import type { TableFragments } from './tables.ts'

/** The target of statements: the pool, or the connection of a running transaction. */
export interface Queryable extends Pick<TableFragments, 'table'> {
  /**
   * Runs a statement. Every column costs time: on the hot path they are combined in one JSON value.
   */
  query<Parameters, Row>(
    statement: Statement<Parameters, Row>,
    values: NoInfer<Parameters>,
  ): Promise<Row[]>
}

/**
 * A precondition of a statement, which may prevent the rest: its text, and the values of one call.
 */
export interface Precondition<Spent, Parameters = ParameterValues> {
  text: PreconditionText<Spent, Parameters>
  values: Parameters
}

/**
 * Returns common table expressions. `allowed` of `spent` states whether the rest may run. Each text
 * is created once, since statements are cached by it.
 *
 * @param condition without it nothing is spent or allowed.
 */
export type PreconditionText<Spent, Parameters = ParameterValues> = {
  // A method, so that it is assignable if the names of its parameters are unknown.
  text(sql: TableFragments, $: Placeholders<Parameters>, condition?: string): string
}['text'] & { readonly '~spent'?: Spent }
