import { mergeConfig } from 'vitest/config'
import base from './vitest.config.ts'

const { include: _, ...shared } = base.test ?? {}

/**
 * Floods take minutes, so `npm test` leaves them out. One at a time: each measures memory and time.
 */
const floods = {
  test: {
    include: ['test/floods/**/*.flood.ts'],
    testTimeout: 300_000,
    hookTimeout: 60_000,
    maxWorkers: 1,
  },
}

export default mergeConfig({ ...base, test: shared }, floods)
