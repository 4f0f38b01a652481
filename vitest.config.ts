import { defineConfig } from 'vitest/config'

/** Tests run on `src/`, also where they import `latchkey` as its users do. */
const conditions = ['latchkey-source']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: 'test/support/postgres-cluster.ts',
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // A worker loads the ORM once for all its files. They would share module state: there is none.
    pool: 'forks',
    isolate: false,
    maxWorkers: 3,
  },
})
