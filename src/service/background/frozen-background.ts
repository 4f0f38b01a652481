import { setTimeout as sleep, setImmediate as turnOfLoop } from 'node:timers/promises'
import type { Deps } from '../../accounts/auth-context.ts'
import { isOlder } from '../../platform/kit/clock.ts'
import { withinTime } from '../../platform/kit/within-time.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import {
  type Background,
  type BackgroundTasks,
  extendLifetime,
  longestBackgroundMs,
  type RequestScope,
} from './background.ts'
import { newWakeScope, type WakeScope, type WakeScopes } from './wake-scopes.ts'

/** The event loop turns after which a connection that was closed during a freeze is reported. */
const turnsToHear = 3
/** The interval between exports of metrics and spans. */
const exportEveryMs = 5_000
/** The maximum time that a response waits for sweeping. */
const awaitedSweepMs = 250

/** A task that runs when it is due, before or after a response. */
interface Task {
  isDue(scope: WakeScope): boolean
  run(withinMs: number): Promise<unknown>
}

/**
 * Runs background tasks in a process that is frozen between requests. Tasks that a timer would run
 * elsewhere run with a request, by the clock: keys before it, all others after it. Later work is
 * passed to `waitUntil`; without one, the response waits for a configured time.
 */
export function openFrozenBackground(
  deps: Deps,
  tasks: BackgroundTasks,
  scopes: WakeScopes,
): Pick<Background, 'runWithin' | 'close'> {
  const { logger, config } = deps
  const answerDelayMs = config.background.answerDelaySeconds * 1000
  const all = tasksOf(deps, tasks, scopes)
  const running = new Set<Promise<unknown>>()

  const resume = async (): Promise<void> => {
    for (let turn = 0; turn < turnsToHear; turn += 1) await turnOfLoop()
    await tasks.renewKeys().catch((error) => {
      logger.warn({ fault: describeFault(error) }, 'keys were not reloaded')
    })
  }

  const runAll = (due: readonly Task[], withinMs: number): Promise<unknown> => {
    const work = Promise.all(due.map((task) => task.run(withinMs).catch(() => {})))
    running.add(work)
    return work.finally(() => running.delete(work))
  }

  const finish = async (
    woken: WakeScope,
    { waitUntil, isAwaited }: RequestScope,
  ): Promise<void> => {
    const due = all.filter((task) => task.isDue(woken))
    if (due.length === 0) return
    if (waitUntil) {
      if (extendLifetime(waitUntil, runAll(due, longestBackgroundMs), logger)) return
    } else if (!isAwaited && woken.wokenAt === null) return
    // Measured from the beginning, so that the total time does not reveal the work before the
    // message either.
    const since = woken.isConcealed ? woken.begunAt : performance.now()
    const leftMs = Math.max(0, since + answerDelayMs - performance.now())
    const work = waitUntil ? Promise.all(running) : runAll(due, leftMs)
    const endsAt = performance.now() + leftMs
    await withinTime(work, leftMs, () => new Error('late')).catch(() => {})
    // The wait may include messages of another request.
    if (woken.isConcealed || scopes.isConcealing())
      await sleep(Math.max(0, endsAt - performance.now()))
  }

  return {
    runWithin: async (work, scope) => {
      await resume()
      const woken = newWakeScope()
      try {
        return await scopes.run(woken, work)
      } finally {
        await finish(woken, scope)
      }
    },
    close: async () => {
      await Promise.all(running)
    },
  }
}

function tasksOf(deps: Deps, { learning, sweeping }: BackgroundTasks, scopes: WakeScopes): Task[] {
  const { clock, decisions, outbox, telemetry } = deps
  let exportedAt: Date | null = null
  const messages: Task = {
    // A request for a concealed message looks for all due messages, so that its response time
    // reveals none.
    isDue: ({ wokenAt }) => wokenAt !== null || (outbox.isOverdue() && !scopes.isConcealing()),
    run: (withinMs) => outbox.deliver(withinMs),
  }
  const noted: Task = { isDue: () => decisions.isFilled(), run: () => decisions.flush() }
  const kinds: Task = { isDue: () => learning.isDue(), run: () => learning.learn() }
  const expired: Task = {
    isDue: () => sweeping?.isDue() ?? false,
    run: async (withinMs) => {
      await sweeping?.sweep(withinMs < longestBackgroundMs ? awaitedSweepMs : withinMs)
    },
  }
  const exported: Task = {
    isDue: () => telemetry !== null && isOlder(exportedAt, exportEveryMs, clock.now()),
    run: async () => {
      exportedAt = clock.now()
      await telemetry?.flush()
    },
  }
  return [messages, noted, kinds, expired, exported]
}
