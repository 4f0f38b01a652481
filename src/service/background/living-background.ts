import type { Deps } from '../../accounts/auth-context.ts'
import type { WaitUntil } from '../../platform/config/sections/background.ts'
import type { Background, BackgroundTasks } from './background.ts'
import { extendLifetime } from './extend-lifetime.ts'
import { learnEveryHour } from './learn-stored-hashes.ts'
import { sweepEveryMinute } from './sweep-expired.ts'

/** Where the process stays alive, timers see to what is due. A host that offers more is told of messages on their way. */
export function openLivingBackground(
  { outbox, logger }: Deps,
  { learning, sweeping }: BackgroundTasks,
): Pick<Background, 'runWithin' | 'close'> {
  const stopLearning = learnEveryHour(learning)
  const stopSweeping = sweeping ? sweepEveryMinute(sweeping) : () => {}
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
