/** A host's entity manager with a transaction that is to be joined. Any MikroORM 7 one fits. */
export interface HostEntityManager {
  // biome-ignore lint/suspicious/noExplicitAny: the type of the host's own driver
  getTransactionContext(): any
}
