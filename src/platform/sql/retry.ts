import { setTimeout as sleep } from 'node:timers/promises'
import { AuthError } from '../errors/auth-error.ts'
import { conflict } from '../errors/request-errors.ts'

const maxAttempts = 3

/**
 * Repeats idempotent work after a pause if it failed by a conflict, a deadlock, or a lost
 * connection, after which it may have taken effect.
 */
export const retryTransient = <T>(work: () => Promise<T>): Promise<T> => retryIf(isTransient, work)

/**
 * Repeats work after a pause if it failed by a conflict or a deadlock, so that its effects were
 * rolled back. A lost connection is the caller's error: a second attempt would find a secret that
 * the first one consumed, and treat it as a theft.
 */
export const retryRolledBack = <T>(work: () => Promise<T>): Promise<T> =>
  retryIf(isRolledBack, work)

async function retryIf<T>(
  mayRetry: (error: unknown) => boolean,
  work: () => Promise<T>,
  attempt = 1,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (attempt >= maxAttempts || !mayRetry(error)) throw error
    await sleep(100 * attempt)
    return retryIf(mayRetry, work, attempt + 1).catch((later: unknown) => {
      throw isAborted(later) ? error : later
    })
  }
}

/** Whether the transaction of the host had failed before, so that no repetition can succeed. */
const isAborted = (error: unknown): boolean => {
  const { code, cause } = Object(error)
  return [code, Object(cause).code].includes('25P02')
}

const isTransient = (error: unknown): boolean =>
  error instanceof AuthError && (error.code === 'conflict' || error.code === 'service_unavailable')

/** @see PostgreSQL documentation, appendix A: class 40, transaction rollback */
const rolledBack = /^40...$/

function isRolledBack(error: unknown): boolean {
  if (!isTransient(error)) return false
  const { code, cause } = error as AuthError
  return code === 'conflict' || rolledBack.test(String(Object(cause).code))
}

const maxTries = 8
const firstPauseMs = 10

/**
 * Repeats an attempt that lost a race to another request, each time from the stored state. Pauses
 * grow and are random, so that many concurrent requests do not collide repeatedly.
 *
 * @param attempt returns null if it lost.
 * @throws AuthError `conflict` (409) after eight losses.
 */
export async function retryLostRaces<T>(attempt: () => Promise<T | null>): Promise<T> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const outcome = await attempt()
    if (outcome !== null) return outcome
    await sleep(Math.random() * firstPauseMs * 2 ** tries)
  }
  throw conflict('The account was changed at the same time')
}
