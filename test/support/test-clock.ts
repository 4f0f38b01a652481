import {
  createTestClock as createClock,
  type TestClock,
} from '../../src/hosts/testing/test-clock.ts'

export type { TestClock } from '../../src/hosts/testing/test-clock.ts'

/** Creates a clock that stands still until it is advanced. */
export function createTestClock(start = new Date('2026-03-01T12:00:00.000Z')): TestClock {
  const clock = createClock()
  clock.stop(start)
  return clock
}
