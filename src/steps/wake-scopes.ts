import { AsyncLocalStorage } from 'node:async_hooks'
import type { Wake } from '../messages/outbox/outbox.ts'

/** What one request or call has had stored. Instants are milliseconds of a clock that never goes back. */
export interface WakeScope {
  readonly begunAt: number
  /** When messages were stored last; null where none were. */
  wokenAt: number | null
  /** Whether its answer must not tell, by the time that it takes, whether there is a message. */
  isConcealed: boolean
}

/** Knows which request or call had messages stored. Flows do not hand that on, since elsewhere nobody asks. */
export interface WakeScopes {
  /** Runs a request or call, and notes in the scope what it has stored. */
  run<T>(scope: WakeScope, work: () => Promise<T>): Promise<T>
  note(wake: Wake): void
}

export const newWakeScope = (): WakeScope => ({
  begunAt: performance.now(),
  wokenAt: null,
  isConcealed: false,
})

export function createWakeScopes(): WakeScopes {
  const storage = new AsyncLocalStorage<WakeScope>()
  return {
    run: (scope, work) => storage.run(scope, work),
    note: ({ isConcealed = false }) => {
      const scope = storage.getStore()
      if (!scope) return
      scope.wokenAt = performance.now()
      scope.isConcealed ||= isConcealed
    },
  }
}
