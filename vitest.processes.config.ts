import { configDefaults, mergeConfig } from 'vitest/config'
import base, { processes } from './vitest.config.ts'

const { include: _, exclude: __, ...shared } = base.test ?? {}

/** Tests that take long, which `npm test` leaves out. */
export default mergeConfig(
  { ...base, test: shared },
  {
    test: {
      include: processes,
      exclude: configDefaults.exclude,
      // Three files run at a time, each with processes of its own. On a busy machine a process takes
      // ten seconds to start, and some tests start five.
      testTimeout: 180_000,
      hookTimeout: 180_000,
    },
  },
)
