import { availableParallelism } from 'node:os'
import type { Config } from '../../platform/config/config.ts'
import { type Finding, fine, warning } from '../../service/doctor/finding.ts'
import { checkOpenFiles } from '../server/open-files.ts'
import { processesFor } from '../workers/worker-count.ts'
import { checkHeap, heapOfWorker, leastHeapMib, optionsOfNode } from '../workers/worker-memory.ts'

interface Machine {
  cores: number
  /** The heap of a worker in MiB, by the number of workers. */
  heapOf(count: number): number
}

const thisMachine = (): Machine => ({
  cores: availableParallelism(),
  heapOf: (count) => heapOfWorker(count, optionsOfNode()),
})

/**
 * Checks the number of workers of `latchkey serve`, the heap of a single process, and the limit of
 * open files.
 *
 * @param maxPoolSize the limit of all workers together; 0 for no fixed one.
 */
export function checkWorkers(
  { server }: Pick<Config, 'server'>,
  maxPoolSize: number,
  machine: Machine = thisMachine(),
): Finding[] {
  const count = processesFor(server.workers)
  const ofFiles = checkOpenFiles(server.maxConnections, count)
  if (count === 1) return [...checkHeap(), ...ofFiles]
  const heap = machine.heapOf(count)
  const { maxConnections } = server
  const warnings = [
    heap <= leastHeapMib && {
      message: `${count} workers have a heap of ${heap} MiB each, the least that is possible`,
      remedy: 'lower AUTH_WORKERS, or raise the memory limit of the process',
    },
    count > machine.cores && {
      message: `${count} workers share ${machine.cores} cores`,
      remedy: `lower AUTH_WORKERS to ${machine.cores}, or set auto`,
    },
    maxPoolSize > 0 &&
      maxPoolSize < count && {
        message: `AUTH_DB_MAX_POOL_SIZE is ${maxPoolSize}, and each of ${count} workers opens at least one connection`,
        remedy: `raise it to at least ${count}`,
      },
    maxConnections > 0 &&
      maxConnections < count && {
        message: `AUTH_API_MAX_CONNECTIONS is ${maxConnections}, and each of ${count} workers accepts at least one connection`,
        remedy: `raise it to at least ${count}`,
      },
  ].filter((one) => one !== false)
  if (warnings.length > 0) {
    return [
      ...warnings.map(({ message, remedy }) => warning('workers', message, remedy)),
      ...ofFiles,
    ]
  }
  const pool = maxPoolSize > 0 ? `, ${Math.floor(maxPoolSize / count)} connections or more` : ''
  return [
    fine('workers', `${count} on ${machine.cores} cores; each has a heap of ${heap} MiB${pool}`),
    ...ofFiles,
  ]
}
