import { requestTimeout } from '../platform/errors/request-errors.ts'
import { pathOfClient } from '../platform/kit/client-scope.ts'
import type { FairnessPath } from '../platform/kit/fair-queue.ts'
import { createKeyedSemaphore } from '../platform/kit/keyed-semaphore.ts'

/** The reasons for looking up an account without a session. */
export type LookupKind = 'password' | 'message' | 'sign-up'

/** Runs a lookup at once, or after others, in a fair order of their networks. */
export type LookupSemaphore = <T>(
  kind: LookupKind,
  subject: string,
  path: FairnessPath,
  lookUp: () => Promise<T>,
) => Promise<T>

/** Further concurrent lookups of a kind find no more accounts than passwords can be hashed. */
const mostOfOneKind = 8

/**
 * Creates the semaphore of lookups: for each subject one at a time, so that those that wait for its
 * row take one place, and for each kind as many as a quarter of the pool.
 *
 * @param poolSize the number of connections to the database; 0 for no fixed one.
 */
export function createLookupSemaphore(poolSize: number): LookupSemaphore {
  const quarter = Math.max(1, Math.floor(poolSize / 4))
  const ofKind = createKeyedSemaphore(
    poolSize === 0 ? mostOfOneKind : Math.min(quarter, mostOfOneKind),
  )
  const ofSubject = createKeyedSemaphore(1)
  return (kind, subject, path, lookUp) =>
    ofSubject(JSON.stringify([kind, subject]), path, () => ofKind(kind, path, lookUp))
}

interface Needs {
  isInTransaction: boolean
  lookupSemaphore: LookupSemaphore
  request: { clientKey(): string | null; isCall?: boolean; isOver(): boolean }
}

/**
 * Looks up an account for a request without a session, within the limits. In a flood, more lookups
 * arrive than passwords can be hashed and messages sent. They leave the connections and cores to
 * other requests.
 *
 * Calls in code do not wait: others could wait for rows of the host's transaction.
 *
 * @param subject the requested address or name.
 */
export function withLookupSemaphore<T>(
  ctx: Needs,
  kind: LookupKind,
  subject: string,
  lookUp: () => Promise<T>,
): Promise<T> {
  const { request } = ctx
  if (request.isCall || ctx.isInTransaction) return lookUp()
  return ctx.lookupSemaphore(kind, subject, pathOfClient(request, subject), () => {
    if (request.isOver()) throw requestTimeout()
    return lookUp()
  })
}
