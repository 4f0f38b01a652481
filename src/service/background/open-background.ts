import type { Deps } from '../../accounts/auth-context.ts'
import type { Background, BackgroundTasks } from './background.ts'
import { openFrozenBackground } from './frozen-background.ts'
import { createHashLearning } from './learn-stored-hashes.ts'
import { openLivingBackground } from './living-background.ts'
import { createSweeping } from './sweep-expired.ts'
import type { WakeScopes } from './wake-scopes.ts'

/** @param scopes what knows who wakes the outbox; null where the process stays alive. */
export function openBackground(
  deps: Deps,
  { renewKeys, scopes }: Pick<BackgroundTasks, 'renewKeys'> & { scopes: WakeScopes | null },
): Background {
  const learning = createHashLearning(deps)
  const sweeping = deps.config.database.cleanupEnabled ? createSweeping(deps) : null
  const tasks = { learning, sweeping, renewKeys }
  const background = scopes
    ? openFrozenBackground(deps, tasks, scopes)
    : openLivingBackground(deps, tasks)
  // A wrong password is not answered before it is known how late the answer has to be.
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
