/** A MikroORM entity manager in which a transaction runs that is to be joined. Any of MikroORM 7 fits. */
export interface HostEntityManager {
  // biome-ignore lint/suspicious/noExplicitAny: the type of the host's own driver
  getTransactionContext(): any
}

/**
 * A running transaction that is to be joined, of whatever can run a statement. A client of `pg` fits as it is;
 * `docs/users.md` has a line for each of the libraries that people have their transactions from.
 */
export interface HostTransaction {
  /**
   * Runs one statement in the transaction.
   *
   * @param values what stands for `$1` and those that follow.
   * @returns its rows, by themselves or as `rows`, with JSON read.
   */
  // biome-ignore lint/suspicious/noExplicitAny: each library has a type of its own for what it is handed
  query(text: string, values: any[]): Promise<unknown>
}
