/** A MikroORM entity manager with a running transaction to join. All versions of MikroORM 7 fit. */
export interface HostEntityManager {
  // biome-ignore lint/suspicious/noExplicitAny: the type of the host's own driver
  getTransactionContext(): any
}

/**
 * A running transaction to join, from any library that can run a statement. A client of `pg` fits;
 * `docs/users.md` has a line for each common library.
 */
export interface HostTransaction {
  /**
   * Runs one statement in the transaction.
   *
   * @param values the values of `$1` and the following parameters.
   * @returns its rows, as an array or as `rows`, with JSON parsed.
   */
  // biome-ignore lint/suspicious/noExplicitAny: each library has its own type of values
  query(text: string, values: any[]): Promise<unknown>
}
