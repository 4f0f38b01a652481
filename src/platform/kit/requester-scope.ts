import { AsyncLocalStorage } from 'node:async_hooks'
import { fairnessPath } from './client-networks.ts'
import type { FairnessPath } from './fair-queue.ts'

/** The requester of work that competes with work of others. */
export interface Requester {
  /** Returns the narrowest network of the client; null if clients cannot be distinguished. */
  clientKey(): string | null
  /** Whether it has received its response, so that work for it may not begin. Default: false. */
  isOver?(): boolean
}

/**
 * The scope with the client of the current request. Work far below a handler reads it, without a
 * parameter.
 */
export interface RequesterScope {
  /** Runs work as a part of a request; null runs it outside of any. */
  run<T>(requester: Requester | null, work: () => T): T
  /** Returns the current request; null outside of one. */
  current(): Requester | null
}

export function createRequesterScope(): RequesterScope {
  const storage = new AsyncLocalStorage<Requester | null>()
  return {
    run: (requester, work) => storage.run(requester, work),
    current: () => storage.getStore() ?? null,
  }
}

const unknown: FairnessPath = ['']

/**
 * Returns the networks of the client, the widest first. Where clients cannot be distinguished, work
 * about one subject shares a path, and so does all work without a subject.
 */
export function pathOfRequester(
  requester: Pick<Requester, 'clientKey'> | null,
  subject?: string,
): FairnessPath {
  const client = requester?.clientKey() ?? null
  if (client !== null) return fairnessPath(client)
  // A declared header may contain anything, so a subject is never equal to a client.
  return subject === undefined ? unknown : [`subject ${subject}`]
}
