import type { Deps } from '../deps.ts'
import type { Background, Duties } from './background.ts'
import { handOver } from './hand-over.ts'
import { learnEveryHour } from './learn-stored-hashes.ts'
import { sweepEveryMinute } from './sweep-expired.ts'

/** Where the process stays alive, timers see to what is due. A host that offers more is told of messages on their way. */
export function openLivingBackground(
  { outbox, logger }: Deps,
  { learning, sweeping }: Duties,
): Pick<Background, 'around' | 'close'> {
  const stopLearning = learnEveryHour(learning)
  const stopSweeping = sweeping ? sweepEveryMinute(sweeping) : () => {}
  return {
    around: async (work, { waitUntil }) => {
      if (!waitUntil) return work()
      try {
        return await work()
      } finally {
        const running = outbox.underWay()
        if (running) handOver(waitUntil, running, logger)
      }
    },
    close: async () => {
      stopLearning()
      stopSweeping()
    },
  }
}
