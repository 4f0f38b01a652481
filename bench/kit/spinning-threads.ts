import { Worker } from 'node:worker_threads'
import { gateWidth } from './gate-width.ts'

/**
 * Runs work while as many threads as may hash at once only spin: no service that hashes so many at
 * once can leave other work more of the cores.
 */
export async function besideSpinningThreads<T>(work: () => Promise<T>): Promise<T> {
  const threads = Array.from({ length: gateWidth }, () => new Worker('for (;;) {}', { eval: true }))
  try {
    return await work()
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()))
  }
}
