import { setTimeout as sleep } from 'node:timers/promises'
import { AuthError } from '../errors/auth-error.ts'

const maxAttempts = 3

/**
 * Does work again, a little later, where somebody was faster or two waited for each other. What it did
 * before has to be undone by then, or no harm a second time.
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
