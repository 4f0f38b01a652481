import type { Clock } from '../../platform/kit/clock.ts'
import { parseDuration } from '../../platform/kit/time-formats.ts'

/** The clock of a service under test. It runs unless it is stopped. */
export interface TestClock extends Clock {
  /**
   * Advances the time at once.
   *
   * @param time seconds, or a duration such as `15m` or `1h30m`.
   * @throws TypeError for an invalid duration.
   */
  advance(time: number | string): void
  /** Stops the clock, at an instant or now. It can still be advanced. */
  stop(at?: Date): void
  /** Resets it to real time. */
  reset(): void
}

export function createTestClock(): TestClock {
  let aheadMs = 0
  let stoppedAt: number | null = null
  const now = () => new Date((stoppedAt ?? Date.now()) + aheadMs)
  return {
    now,
    advance: (time) => {
      aheadMs += millisecondsOf(time)
    },
    stop: (at = now()) => {
      stoppedAt = at.getTime()
      aheadMs = 0
    },
    reset: () => {
      stoppedAt = null
      aheadMs = 0
    },
  }
}

function millisecondsOf(time: number | string): number {
  const ms = typeof time === 'number' ? time * 1000 : parseDuration(time)
  if (ms === null || !Number.isFinite(ms)) {
    throw new TypeError(
      `${JSON.stringify(time)} is not a duration: use seconds, or a text such as '15m'`,
    )
  }
  return ms
}
