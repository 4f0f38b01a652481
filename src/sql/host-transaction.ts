/** A MikroORM entity manager in which a transaction runs that is to be joined. Any of MikroORM 7 fits. */
export interface HostEntityManager {
  // biome-ignore lint/suspicious/noExplicitAny: the type of the host's own driver
  getTransactionContext(): any
}

/** A running transaction that is to be joined, of whatever can run a statement. A client of `pg` fits as it is. */
export interface HostTransaction {
  /**
   * Runs one statement in the transaction.
   *
   * @param values what stands for `$1` and those that follow.
   * @returns its rows, by themselves or as `rows`, with JSON read.
   */
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] } | unknown[]>
}
