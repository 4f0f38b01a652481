import { setTimeout as sleep } from 'node:timers/promises'
import { conflict } from '../errors/request-errors.ts'

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
