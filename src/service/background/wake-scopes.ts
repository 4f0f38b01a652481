import { AsyncLocalStorage } from 'node:async_hooks'
import type { Wake } from '../../delivery/outbox/outbox.ts'
import { frozenAttemptMs } from '../../delivery/outbox/outbox-pace.ts'
import { type Clock, isOlder } from '../../platform/kit/clock.ts'

/** The messages that one request or call stored. Instants are milliseconds of a monotonic clock. */
export interface WakeScope {
  readonly begunAt: number
  /** The time of the last stored message; null without one. */
  wokenAt: number | null
  /** Whether the response time must not reveal whether there is a message. */
  isConcealed: boolean
}

/**
 * Records which request or call stored messages. Flows do not pass that on, because only a frozen
 * process needs it.
 */
export interface WakeScopes {
  /** Runs a request or call, and records in the scope the messages that it stores. */
  run<T>(scope: WakeScope, work: () => Promise<T>): Promise<T>
  note(wake: Wake): void
  /**
   * Whether a concealed message may be in delivery. The response time of no request may then reveal
   * it, because its requester may be the one that measures.
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
