import { AsyncLocalStorage } from 'node:async_hooks'
import { fairnessPath } from './client-networks.ts'
import type { FairnessPath } from './fair-queue.ts'

/** The requester of work that competes with work of others. */
export interface Requester {
  /** Returns the narrowest network of the client; null if clients cannot be distinguished. */
  clientKey(): string | null
}

/**
 * The scope with the client of the current request. Work far below a handler reads it, without a
 * parameter.
 */
export interface RequesterScope {
  run<T>(requester: Requester, work: () => T): T
  /** Returns the networks of the client. Work without a known client shares one path. */
  path(): FairnessPath
}

const unknown: FairnessPath = ['']

export function createRequesterScope(): RequesterScope {
  const storage = new AsyncLocalStorage<Requester>()
  return {
    run: (requester, work) => storage.run(requester, work),
    path: () => {
      const client = storage.getStore()?.clientKey() ?? null
      return client === null ? unknown : fairnessPath(client)
    },
  }
}
