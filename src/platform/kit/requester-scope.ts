import { AsyncLocalStorage } from 'node:async_hooks'
import { fairnessPath } from './client-networks.ts'
import type { FairnessPath } from './fair-queue.ts'

/** A request, as far as work that it causes competes with that of others. */
export interface Requester {
  /** The narrowest network of the client; null where clients cannot be distinguished. */
  clientKey(): string | null
}

/** Names the client whose request is being served. Work deep below a handler reads it, where no caller passes it on. */
export interface RequesterScope {
  run<T>(requester: Requester, work: () => T): T
  /** The networks of the client. Work without a known client shares one path. */
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
