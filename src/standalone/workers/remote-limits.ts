import type { CountedLimit, LimitStore, TakenTokens } from '../../limits/limit-store.ts'
import { serviceUnavailable } from '../../platform/errors/request-errors.ts'
import { sha256Hex } from '../../platform/kit/digest.ts'
import type { SentLimit, ToPrimary, ToWorker } from './messages.ts'

/** The limits of a worker, which the primary process counts. */
export interface RemoteLimits extends LimitStore {
  /** Receives a decision. */
  settle(taken: Extract<ToWorker, { taken: unknown }>['taken']): void
  close(): Promise<void>
}

/** The maximum time for a decision. A request without one is rejected, never allowed. */
const patienceMs = 2_000
/** The maximum number of requests that wait for a decision. */
const maxWaiting = 10_000

interface Waiting {
  decide(waitSeconds: number | null): void
  timer: NodeJS.Timeout
}

/** @throws AuthError `service_unavailable`, from `take`, where the primary does not respond. */
export function openRemoteLimits(
  send: (message: ToPrimary) => void,
  { patienceMs: patience = patienceMs } = {},
): RemoteLimits {
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  const unavailable = () => serviceUnavailable('Limits cannot be counted')

  const take = (counted: readonly CountedLimit[]): Promise<TakenTokens> =>
    new Promise((resolve, reject) => {
      if (waiting.size >= maxWaiting) return reject(unavailable())
      lastId += 1
      const id = lastId
      const timer = setTimeout(() => {
        waiting.delete(id)
        reject(unavailable())
      }, patience)
      const decide = (waitSeconds: number | null): void =>
        resolve(
          waitSeconds === null
            ? { allowed: true }
            : { allowed: false, retryAfterSeconds: waitSeconds },
        )
      waiting.set(id, { decide, timer })
      send({ take: { id, limits: counted.map(sentLimit), untilMs: Date.now() + patience } })
    })

  return {
    take,
    settle: ({ id, waitSeconds }) => {
      const request = waiting.get(id)
      if (!request) return
      waiting.delete(id)
      clearTimeout(request.timer)
      request.decide(waitSeconds)
    },
    close: async () => {},
  }
}

const sentLimit = ({ key, limit }: CountedLimit): SentLimit => [
  sha256Hex(key),
  limit.burst,
  limit.refillPerSecond,
]
