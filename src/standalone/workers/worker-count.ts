import cluster from 'node:cluster'
import { availableParallelism } from 'node:os'
import { workerCount } from '../../platform/config/parsers/numbers.ts'
import { isFailure } from '../../platform/config/parsers/parser.ts'
import type { WorkerCount } from '../../platform/config/sections/server.ts'
import { CommandError, UsageError } from '../command-error.ts'
import type { Environment } from '../settings/environment-remarks.ts'

/** Returns the number of processes. */
export const processesFor = (workers: WorkerCount): number =>
  workers === 'auto' ? availableParallelism() : workers

/**
 * Returns a function that sets the option `--workers` in the settings, which it overrides.
 *
 * @throws UsageError for an invalid option.
 */
export function withWorkersOption(
  option: string | undefined,
): (environment: Environment) => Environment {
  if (option === undefined) return (environment) => environment
  const reading = workerCount.parse(option)
  if (isFailure(reading)) {
    throw new UsageError(`serve: --workers ${reading.problems[0]?.message}`)
  }
  return (environment) => ({ ...environment, AUTH_WORKERS: option })
}

/** @throws CommandError in a process that is a worker of another cluster. */
export function requireOwnCluster(): void {
  if (cluster.isPrimary) return
  throw new CommandError(
    'serve --workers cannot run as a worker of another cluster, such as the cluster mode of PM2: start it in fork mode, or leave ' +
      'out --workers',
  )
}
