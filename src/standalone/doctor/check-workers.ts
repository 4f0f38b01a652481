import { availableParallelism } from 'node:os'
import type { Config } from '../../platform/config/config.ts'
import { type Finding, fine, warning } from '../../service/doctor/finding.ts'
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
 * Checks the number of workers of `latchkey serve`, and the heap of a single process.
 *
 * @param maxPoolSize the limit of all workers together; 0 for no fixed one.
 */
export function checkWorkers(
  { server }: Pick<Config, 'server'>,
  maxPoolSize: number,
  machine: Machine = thisMachine(),
): Finding[] {
  const count = processesFor(server.workers)
  if (count === 1) return checkHeap()
  const heap = machine.heapOf(count)
  if (heap <= leastHeapMib) {
    return [
      warning(
        'workers',
        `${count} workers have a heap of ${heap} MiB each, the least that is possible`,
        'lower AUTH_WORKERS, or raise the memory limit of the process',
      ),
    ]
  }
  if (count > machine.cores) {
    return [
      warning(
        'workers',
        `${count} workers share ${machine.cores} cores`,
        `lower AUTH_WORKERS to ${machine.cores}, or set auto`,
      ),
    ]
  }
  if (maxPoolSize > 0 && maxPoolSize < count) {
    return [
      warning(
        'workers',
        `AUTH_DB_MAX_POOL_SIZE is ${maxPoolSize}, and each of ${count} workers opens at least one connection`,
        `raise it to at least ${count}`,
      ),
    ]
  }
  const pool = maxPoolSize > 0 ? `, ${Math.floor(maxPoolSize / count)} connections or more` : ''
  return [
    fine('workers', `${count} on ${machine.cores} cores; each has a heap of ${heap} MiB${pool}`),
  ]
}
