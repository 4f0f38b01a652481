import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until an instant of `performance.now()`. A timer of Node may end a moment early. */
export async function waitUntil(instant: number): Promise<void> {
  for (let left = instant - performance.now(); left > 0; left = instant - performance.now()) {
    await sleep(Math.ceil(left))
  }
}
