import { AsyncLocalStorage } from 'node:async_hooks'
import { fairnessPath } from './client-networks.ts'
import type { FairnessPath } from './fair-queue.ts'

/** The client of work that competes with work of others. */
export interface ScopedClient {
  /** Returns the narrowest network of the client; null if clients cannot be distinguished. */
  clientKey(): string | null
  /** Whether it has received its response, so that work for it may not begin. Default: false. */
  isOver?(): boolean
}

/**
 * The scope with the client of the current request. Work far below a handler reads it, without a
 * parameter.
 */
export interface ClientScope {
  /** Runs work for a client, as a part of its request; null runs it outside of any. */
  run<T>(client: ScopedClient | null, work: () => T): T
  /** Returns the client of the current request; null outside of one. */
  current(): ScopedClient | null
}

export function createClientScope(): ClientScope {
  const storage = new AsyncLocalStorage<ScopedClient | null>()
  return {
    run: (client, work) => storage.run(client, work),
    current: () => storage.getStore() ?? null,
  }
}

const unknown: FairnessPath = ['']

/**
 * Returns the networks of the client, the widest first. Where clients cannot be distinguished, work
 * about one subject shares a path, and so does all work without a subject.
 */
export function pathOfClient(
  client: Pick<ScopedClient, 'clientKey'> | null,
  subject?: string,
): FairnessPath {
  const key = client?.clientKey() ?? null
  if (key !== null) return fairnessPath(key)
  // A declared header may contain anything, so a subject is never equal to a client.
  return subject === undefined ? unknown : [`subject ${subject}`]
}
