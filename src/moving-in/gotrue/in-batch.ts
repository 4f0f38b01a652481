import type { AuthContext, TransactionContext } from '../../deps.ts'
import { retryTransient } from '../../steps/retry-transient.ts'

type Work<T> = (tx: TransactionContext) => Promise<T>

/** Runs a batch in a transaction of its own: again where somebody was faster, for nothing in a dry run. */
export const inBatch = <T>(
  ctx: AuthContext,
  { dryRun = false }: { dryRun?: boolean },
  work: Work<T>,
): Promise<T> => retryTransient(() => (dryRun ? takenBack(ctx, work) : ctx.transaction(work)))

/** Does the work and leaves no trace of it. */
async function takenBack<T>(ctx: AuthContext, work: Work<T>): Promise<T> {
  const regret = new Error('this was a dry run')
  const results: T[] = []
  try {
    await ctx.transaction(async (tx) => {
      results.push(await work(tx))
      throw regret
    })
  } catch (error) {
    if (error !== regret) throw error
  }
  return results[0] as T
}
