import { setTimeout as sleep } from 'node:timers/promises'
import type { AuthContext, TransactionContext } from '../../deps.ts'
import { AuthError } from '../../errors/auth-error.ts'

type Work<T> = (tx: TransactionContext) => Promise<T>

const maxAttempts = 3

/** Runs a batch in a transaction of its own: again where somebody was faster, for nothing in a dry run. */
export async function inBatch<T>(
  ctx: AuthContext,
  { dryRun = false }: { dryRun?: boolean },
  work: Work<T>,
  attempt = 1,
): Promise<T> {
  try {
    return await (dryRun ? takenBack(ctx, work) : ctx.transaction(work))
  } catch (error) {
    if (attempt >= maxAttempts || !isPassing(error)) throw error
    await sleep(100 * attempt)
    return inBatch(ctx, { dryRun }, work, attempt + 1)
  }
}

const isPassing = (error: unknown): boolean =>
  error instanceof AuthError && (error.code === 'conflict' || error.code === 'service_unavailable')

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
