import { configDefaults, mergeConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import base, { processes } from './vitest.config.ts'

const { include: _, exclude: __, ...shared } = base.test ?? {}

/**
 * The files that take more than a minute. Two of them, `wire-cuts` and `frozen-alone`, wait for
 * most of their time. They follow each other: while both wait, a processor is idle.
 */
const longest = [
  'test/wire-cuts.test.ts',
  'test/console-in-browser.test.ts',
  'test/examples.test.ts',
  'test/workers-command.test.ts',
  'test/database-faults.test.ts',
  'test/migrations.test.ts',
  'test/frozen-alone.test.ts',
  'test/account-flows-in-browser.test.ts',
  'test/admin-command.test.ts',
  'test/imports.test.ts',
  'test/frozen-processes.test.ts',
  'test/code-config-command.test.ts',
  'test/authorization.test.ts',
]

/** Without the durations of an earlier run, Vitest starts the largest files first. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = longest.findIndex((path) => moduleId.endsWith(`/${path}`))
      return index < 0 ? longest.length : index
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

/** Tests that take long, which `npm test` leaves out. */
export default mergeConfig(
  { ...base, test: shared },
  {
    test: {
      include: processes,
      exclude: configDefaults.exclude,
      sequence: { sequencer: LongestFirst },
      // Each file has processes of its own, and some wait. On a busy machine a process takes ten
      // seconds to start, and some tests start five.
      maxWorkers: 3,
      testTimeout: 180_000,
      hookTimeout: 180_000,
    },
  },
)
