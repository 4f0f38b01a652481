import type { ToWorker } from './messages.ts'

/** A worker, as far as its heartbeats show whether it responds. */
export interface Beating {
  state: 'starting' | 'ready' | 'retiring'
  missedBeats: number
}

interface Needs<One extends Beating> {
  all(): readonly One[]
  send(one: One, message: ToWorker): void
  /** Reports whether all workers have to end. */
  areEnding(): boolean
  /** A worker has become silent, or has responded again. */
  onChange(): void
  /** A worker has been silent for so long that it has to be killed. Called once for each. */
  onSilence(one: One): void
}

/** The interval of heartbeats. */
export const beatMs = 1_000
/** The number of missed heartbeats after which a worker has no background tasks. */
const silentAfter = 3
/** The number of missed heartbeats after which a worker is killed, and another one started. */
const stuckAfter = 10
/**
 * The number for a worker that starts: it loads its code before it responds. It responds while it
 * migrates the database or waits for it.
 */
const stuckStartingAfter = 30
/** The number for a worker that has to end, so that the service ends within eight seconds. */
const stuckEndingAfter = 5

/**
 * Reports whether a worker responds. One that does not is stopped, or its event loop is blocked.
 */
export const responds = ({ missedBeats }: Pick<Beating, 'missedBeats'>): boolean =>
  missedBeats < silentAfter

/**
 * Sends heartbeats to the workers. They are counted, and not timed: where the whole machine was
 * suspended, each worker responds before the next one.
 */
export function createHeartbeats<One extends Beating>({
  all,
  send,
  areEnding,
  onChange,
  onSilence,
}: Needs<One>): { beat(): void; receive(one: One): void } {
  let number = 0
  const killed = new WeakSet<One>()
  const stuckAt = ({ state }: One): number => {
    if (areEnding()) return stuckEndingAfter
    return state === 'starting' ? stuckStartingAfter : stuckAfter
  }
  return {
    beat: () => {
      number += 1
      for (const one of all()) {
        one.missedBeats += 1
        if (one.missedBeats === silentAfter && one.state !== 'starting') onChange()
        if (one.missedBeats >= stuckAt(one) && !killed.has(one)) {
          killed.add(one)
          onSilence(one)
        }
        send(one, { beat: number })
      }
    },
    receive: (one) => {
      const wasSilent = !responds(one)
      one.missedBeats = 0
      if (wasSilent) onChange()
    },
  }
}
