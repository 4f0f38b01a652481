import type { Deps } from '../../accounts/auth-context.ts'
import { withinTime } from '../../platform/kit/within-time.ts'
import type { BackgroundTasks } from '../background/background.ts'

/** What was done of what was due. */
export interface DueWork {
  /** Messages that their carriers took. */
  sent: number
  /** Messages that are tried again later. */
  retried: number
  /** Messages that were given up. */
  failed: number
  /** Expired rows that were deleted. */
  swept: number
  /** False where the time was over before all was done. */
  isDone: boolean
}

/**
 * Does what is due: keys, messages, expired rows, and what is to be written or exported.
 *
 * @throws what keeps messages from being looked for, which a scheduler has to learn.
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
