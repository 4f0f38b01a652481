import { setTimeout as sleep } from 'node:timers/promises'
import type { EndedAttempt } from './settle-messages.sql.ts'

export interface SettlingOptions {
  /** Records results, in one statement. */
  record(ended: readonly EndedAttempt[]): Promise<void>
  /** The pauses between attempts to record a result while the database is unavailable. */
  pausesMs: readonly number[]
  /** Whether to give up after a failure. */
  isClosed(): boolean
}

/** The number of results that one statement records. */
const atOnce = 50

/**
 * Returns a function that records the result of an attempt. Results of attempts that end while a
 * statement runs are recorded together by the next one, so that a single result is never delayed.
 *
 * It rejects once all retries have failed. Results are retried one by one, so that none prevents
 * the others from being recorded.
 */
export function createSettling({
  record,
  pausesMs,
  isClosed,
}: SettlingOptions): (ended: EndedAttempt) => Promise<void> {
  interface Waiting {
    ended: EndedAttempt
    done: (error: unknown) => void
  }
  let waiting: Waiting[] = []
  let isRecording = false

  const recordWaiting = async (): Promise<void> => {
    isRecording = true
    // Attempts that end in the same callback are recorded together.
    await null
    while (waiting.length > 0) {
      const batch = waiting.slice(0, atOnce)
      waiting = waiting.slice(atOnce)
      const error = await record(batch.map(({ ended }) => ended)).then(
        () => null,
        (failure: unknown) => failure,
      )
      for (const { done } of batch) done(error)
    }
    isRecording = false
  }
  const recordOnce = (ended: EndedAttempt): Promise<unknown> =>
    new Promise((done) => {
      waiting.push({ ended, done })
      if (!isRecording) void recordWaiting()
    })

  return async (ended) => {
    let error = await recordOnce(ended)
    for (const pauseMs of pausesMs) {
      if (error === null || isClosed()) break
      await sleep(pauseMs)
      error = await record([ended]).then(
        () => null,
        (failure: unknown) => failure,
      )
    }
    if (error !== null) throw error
  }
}
