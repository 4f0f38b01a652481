import { createFairQueue, type FairnessPath } from '../kit/fair-queue.ts'
import type { ReceivingBodies } from './receiving-bodies.ts'

/** A request that competes with others. */
interface Competitor<Result> {
  /** Returns the networks of the client, the widest first. */
  path(): FairnessPath
  serve(): Promise<Result>
  /** Returns the rejection, and ends the work of a request that is being served. */
  reject(): Result
}

/** Serves a request, or rejects it because too many others are being served. */
export type RequestsInFlight = <Result>(request: Competitor<Result>) => Promise<Result>

/**
 * Limits the requests that are being served, since each takes memory until its response.
 *
 * The first half of the limit is for any client. Networks have equal shares of the second half: if
 * it is full, a request replaces the newest one of the network with the most requests. If no network
 * has more than its share, a request replaces the one of its own network whose body has been
 * received for the longest time; the first request of a network replaces such a one of any network.
 *
 * The work of a replaced request ends before its next statement, and takes memory until then. No
 * more than half of the limit are replaced at a time.
 *
 * @param max `api.maxRequestsInFlight`
 */
export function createRequestsInFlight(max: number, receiving: ReceivingBodies): RequestsInFlight {
  const maxShared = Math.ceil(max / 2)
  const shared = createFairQueue<() => void>(maxShared)
  const maxOfAny = Math.floor(max / 2)
  const maxEnding = maxShared
  let ofAny = 0
  let ending = 0

  const serveOfAny = async <Result>({ serve }: Competitor<Result>): Promise<Result> => {
    ofAny += 1
    try {
      return await serve()
    } finally {
      ofAny -= 1
    }
  }

  const serveWithinShare = <Result>(request: Competitor<Result>): Promise<Result> =>
    new Promise((resolve, fail) => {
      const place = request.path()
      const isFirst = !shared.hasItemOf(place)
      let isReplaced = false
      const replace = (): void => {
        isReplaced = true
        ending += 1
        resolve(request.reject())
      }
      const mayAdd = shared.size() < maxShared || ending < maxEnding
      const replaced = mayAdd ? shared.add(place, replace) : replace
      if (replaced !== replace) {
        replaced?.()
        const leave = (): void => {
          if (isReplaced) ending -= 1
          else shared.remove(place, replace)
        }
        request.serve().then(resolve, fail).finally(leave)
        return
      }
      const [network = ''] = place
      if (receiving.rejectOldest(isFirst ? null : network)) serveOfAny(request).then(resolve, fail)
      else resolve(request.reject())
    })

  return (request) => (ofAny < maxOfAny ? serveOfAny(request) : serveWithinShare(request))
}
