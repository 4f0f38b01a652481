import { setTimeout as sleep } from 'node:timers/promises'
import { AuthError } from '../errors/auth-error.ts'

const maxAttempts = 3

/**
 * Repeats work after a pause if it failed by a conflict or a deadlock. Its effects must have been
 * rolled back, or be idempotent.
 */
export async function retryTransient<T>(work: () => Promise<T>, attempt = 1): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (attempt >= maxAttempts || !isTransient(error)) throw error
    await sleep(100 * attempt)
    return retryTransient(work, attempt + 1)
  }
}

const isTransient = (error: unknown): boolean =>
  error instanceof AuthError && (error.code === 'conflict' || error.code === 'service_unavailable')
