import { AsyncLocalStorage } from 'node:async_hooks'
import { frozenAttemptMs, type Wake } from '../../delivery/outbox/outbox.ts'
import { type Clock, isOlder } from '../../platform/kit/clock.ts'

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
  /**
   * Whether a message may be on its way of which nobody is to learn by the time that anything takes: as it was asked for by
   * whoever wants to know whether there is one.
   */
  isConcealing(): boolean
}

export const newWakeScope = (): WakeScope => ({
  begunAt: performance.now(),
  wokenAt: null,
  isConcealed: false,
})

export function createWakeScopes({ clock }: { clock: Clock }): WakeScopes {
  const storage = new AsyncLocalStorage<WakeScope>()
  let concealedAt: Date | null = null
  return {
    run: (scope, work) => storage.run(scope, work),
    note: ({ isConcealed = false }) => {
      if (isConcealed) concealedAt = clock.now()
      const scope = storage.getStore()
      if (!scope) return
      scope.wokenAt = performance.now()
      scope.isConcealed ||= isConcealed
    },
    isConcealing: () => !isOlder(concealedAt, frozenAttemptMs, clock.now()),
  }
}
