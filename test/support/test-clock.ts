import type { Clock } from '../../src/kit/clock.ts'

/** A clock that stands still until it is moved. */
export interface TestClock extends Clock {
  advance(seconds: number): void
}

export function createTestClock(start = new Date('2026-03-01T12:00:00.000Z')): TestClock {
  let now = start
  return {
    now: () => now,
    advance: (seconds) => {
      now = new Date(now.getTime() + seconds * 1000)
    },
  }
}
