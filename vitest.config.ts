import { compile } from 'svelte/compiler'
import type { Plugin } from 'vite'
import { configDefaults, defineConfig } from 'vitest/config'

/** Tests run on `src/`, also where they import `latchkey` as its users do. */
const conditions = ['latchkey-source']

/**
 * Tests that take long: they start processes or browsers, import users from another database,
 * compile, or wait for time limits. `npm run test:processes` runs them, and so does `npm run
 * check`.
 */
export const processes = [
  'test/*-command.test.ts',
  'test/*-in-browser.test.ts',
  'test/assurance-matrix.test.ts',
  'test/authorization-requests.test.ts',
  'test/authorization.test.ts',
  'test/breached-passwords.test.ts',
  'test/cluster.test.ts',
  'test/command-line.test.ts',
  'test/database-faults.test.ts',
  'test/declarations.test.ts',
  'test/dev-mailbox.test.ts',
  'test/dev.test.ts',
  'test/documented-code.test.ts',
  'test/documented-tests.test.ts',
  'test/event-durability.test.ts',
  'test/events.test.ts',
  'test/examples.test.ts',
  'test/frozen-*.test.ts',
  'test/hook-failures.test.ts',
  'test/hooks.test.ts',
  'test/imports.test.ts',
  'test/import-applications.test.ts',
  'test/migrations.test.ts',
  'test/oauth-examples.test.ts',
  'test/old-node.test.ts',
  'test/openid-conformance-*.test.ts',
  'test/outbox-durability.test.ts',
  'test/outbox-smtp.test.ts',
  'test/pgbouncer.test.ts',
  'test/plans.test.ts',
  'test/races.test.ts',
  'test/replaced-globals.test.ts',
  'test/connection-loss.test.ts',
  'test/console-scale.test.ts',
  'test/erasure-races.test.ts',
  'test/message-races.test.ts',
  'test/replica.test.ts',
  'test/schema.test.ts',
  'test/serve.test.ts',
  'test/shared-*.test.ts',
  'test/telemetry*.test.ts',
  'test/unread-log.test.ts',
  'test/verify-in-runtimes.test.ts',
  'test/wire-cuts.test.ts',
  'test/unresponsive-database.test.ts',
  'src/**/in-browser.test.ts',
  'src/capabilities/console/console.test.ts',
  'src/capabilities/console/hostile-values.test.ts',
  'src/service/api/host-guesses.test.ts',
  'src/service/api/host-libraries.test.ts',
  'src/capabilities/formatter-config/hostile-patterns.test.ts',
  'src/capabilities/pages/hostile-values.test.ts',
  'src/endpoints/http/check-captcha.test.ts',
  'src/endpoints/token/even-answers.test.ts',
  'src/service/persistence/shared-connections.test.ts',
  'src/endpoints/http/limit-client.test.ts',
  'src/platform/http/request-deadline.test.ts',
  'src/delivery/outbox/channel-slots.test.ts',
  'src/import/gotrue/*.test.ts',
  'src/standalone/import-users/csv-records.test.ts',
  'src/service/background/frozen-background.test.ts',
  'src/delivery/outbox/open-carriers.test.ts',
  'src/service/background/sweep-anonymous-users.test.ts',
  'src/service/background/sweep-expired.test.ts',
  'src/hosts/testing/*.test.ts',
]

/** Compiles the components of `latchkey/svelte`, as applications do. */
const svelte: Plugin = {
  name: 'svelte',
  transform: (code, id) =>
    id.endsWith('.svelte') ? compile(code, { filename: id, generate: 'server' }).js : null,
}

export default defineConfig({
  plugins: [svelte],
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...processes],
    globalSetup: 'test/support/postgres-cluster.ts',
    // A test of one second takes up to twenty on a busy machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 8_000 } },
    // A worker loads the ORM once for all its files. They share no module state, since there is none.
    pool: 'forks',
    isolate: false,
    maxWorkers: 3,
  },
})
