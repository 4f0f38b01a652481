import { setTimeout as sleep } from 'node:timers/promises'
import { conflict } from '../errors/request-errors.ts'

const maxTries = 8
const firstPauseMs = 10

/**
 * Tries again what another request was faster with: each time it is worked out anew from what is stored. Pauses grow and
 * are random, so that many who want the same thing do not meet again and again.
 *
 * @param attempt returns null when it lost.
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
