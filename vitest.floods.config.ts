import { mergeConfig } from 'vitest/config'
import base from './vitest.config.ts'

const { include: _, ...shared } = base.test ?? {}

/**
 * Floods take minutes, so `npm test` leaves them out. One at a time: each measures memory and time.
 * A machine that pauses the server delivers everything at once afterwards, so that one turn of the
 * event loop takes longer. A measurement above its limit is therefore repeated.
 */
const floods = {
  test: {
    include: ['test/floods/**/*.flood.ts'],
    testTimeout: 300_000,
    hookTimeout: 60_000,
    maxWorkers: 1,
    retry: 2,
  },
}

export default mergeConfig({ ...base, test: shared }, floods)
