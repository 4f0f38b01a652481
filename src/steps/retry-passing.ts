import { setTimeout as sleep } from 'node:timers/promises'
import { AuthError } from '../errors/auth-error.ts'

const maxAttempts = 3

/**
 * Does work again, a little later, where somebody was faster or two waited for each other. What it did
 * before has to be undone by then, or no harm a second time.
 */
export async function retryPassing<T>(work: () => Promise<T>, attempt = 1): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (attempt >= maxAttempts || !isPassing(error)) throw error
    await sleep(100 * attempt)
    return retryPassing(work, attempt + 1)
  }
}

const isPassing = (error: unknown): boolean =>
  error instanceof AuthError && (error.code === 'conflict' || error.code === 'service_unavailable')
