import type { HostEntityManager, HostTransaction } from '../sql/host-transaction.ts'

/** Runs a statement in a transaction of the host's. */
export type RunInHost = (text: string, values: unknown[]) => Promise<{ rows: unknown[] }>

/** The part of a running transaction of MikroORM's (Kysely's) that we use. */
interface OrmTransaction {
  executeQuery(statement: object): Promise<{ rows: unknown[] }>
}

/** @throws TypeError where it runs no transaction. */
export function inEntityManager(host: HostEntityManager): RunInHost {
  const transaction: OrmTransaction | undefined = host.getTransactionContext()
  if (!transaction) throw new TypeError('the entity manager runs no transaction')
  return async (text, values) => {
    // Whoever has MikroORM has loaded it already.
    const { CompiledQuery } = await import('kysely')
    return transaction.executeQuery(CompiledQuery.raw(text, values))
  }
}

/** Of whatever can run a statement. */
export const inHostTransaction =
  (host: HostTransaction): RunInHost =>
  async (text, values) => {
    const result = await host.query(text, values)
    return Array.isArray(result) ? { rows: result } : result
  }
