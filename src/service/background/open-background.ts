import type { Deps } from '../../accounts/auth-context.ts'
import type { WaitUntil } from '../../platform/config/sections/server.ts'
import { type Background, type BackgroundTasks, extendLifetime } from './background.ts'
import { openFrozenBackground } from './frozen-background.ts'
import { createHashLearning, learnEveryHour } from './learn-stored-hashes.ts'
import { createSweeping, sweepEveryMinute } from './sweep-expired.ts'
import type { WakeScopes } from './wake-scopes.ts'

interface Needs extends Pick<BackgroundTasks, 'renewKeys'> {
  /** Records which request stored messages; null where the process stays alive. */
  scopes: WakeScopes | null
  /** Whether this process deletes expired rows. Default: true. */
  isSweeping?: () => boolean
}

export function openBackground(deps: Deps, { renewKeys, scopes, isSweeping }: Needs): Background {
  const learning = createHashLearning(deps)
  const sweeping = deps.config.database.cleanupEnabled ? createSweeping(deps) : null
  const tasks = { learning, sweeping, renewKeys }
  const background = scopes
    ? openFrozenBackground(deps, tasks, scopes)
    : openLivingBackground(deps, tasks, isSweeping)
  // The response to a wrong password waits until the required delay is known.
  void learning.learn()
  return {
    tasks,
    runWithin: background.runWithin,
    close: async () => {
      learning.stop()
      await background.close()
    },
  }
}

/**
 * Runs due tasks by timers, where the process stays alive. A host with `waitUntil` also receives
 * running deliveries.
 */
function openLivingBackground(
  { outbox, logger }: Deps,
  { learning, sweeping }: BackgroundTasks,
  isSweeping = () => true,
): Pick<Background, 'runWithin' | 'close'> {
  const stopLearning = learnEveryHour(learning)
  const stopSweeping = sweeping ? sweepEveryMinute(sweeping, isSweeping) : () => {}
  const extendAfter = async <T>(work: () => Promise<T>, waitUntil: WaitUntil): Promise<T> => {
    try {
      return await work()
    } finally {
      const running = outbox.underWay()
      if (running) extendLifetime(waitUntil, running, logger)
    }
  }
  return {
    runWithin: (work, { waitUntil }) => (waitUntil ? extendAfter(work, waitUntil) : work()),
    close: async () => {
      stopLearning()
      stopSweeping()
    },
  }
}
