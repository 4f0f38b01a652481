import type { Deps } from '../../accounts/auth-context.ts'
import { withinTime } from '../../platform/kit/within-time.ts'
import type { BackgroundTasks } from '../background/background.ts'

/** The results of due work. */
export interface DueWork {
  /** Messages that their carriers accepted. */
  sent: number
  /** Messages that are retried later. */
  retried: number
  /** Messages that were given up. */
  failed: number
  /** Expired rows that were deleted. */
  swept: number
  /** False where the time was over before all work was done. */
  isDone: boolean
}

/**
 * Runs due work: keys, messages, expired rows, pending writes and exports.
 *
 * @throws the error that prevents the search for messages, which a scheduler must report.
 * @internal
 */
export async function runDueWork(
  { outbox, decisions, telemetry }: Pick<Deps, 'outbox' | 'decisions' | 'telemetry'>,
  { learning, sweeping, renewKeys }: BackgroundTasks,
  withinMs: number,
): Promise<DueWork> {
  const until = performance.now() + withinMs
  let swept = 0
  const sweep = async (): Promise<void> => {
    swept = (await sweeping?.sweep(withinMs)) ?? 0
  }
  await renewKeys()
  const others = Promise.all([sweep(), decisions.flush(), learning.learn()])
  const [deliveries, isInTime] = await Promise.all([
    outbox.deliver(withinMs),
    withinTime(others, withinMs, () => new Error('late')).then(
      () => true,
      () => false,
    ),
  ])
  const isDone = isInTime && outbox.underWay() === null && performance.now() < until
  await telemetry?.flush()
  return { ...deliveries, swept, isDone }
}
