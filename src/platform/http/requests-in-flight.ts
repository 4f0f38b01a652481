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
 * @param max `api.maxRequestsInFlight`
 */
export function createRequestsInFlight(max: number, receiving: ReceivingBodies): RequestsInFlight {
  const shared = createFairQueue<() => void>(Math.ceil(max / 2))
  const maxOfAny = Math.floor(max / 2)
  let ofAny = 0

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
      const end = (): void => resolve(request.reject())
      const displaced = shared.add(place, end)
      if (displaced !== end) {
        displaced?.()
        request
          .serve()
          .then(resolve, fail)
          .finally(() => shared.remove(place, end))
        return
      }
      const [network = ''] = place
      if (receiving.rejectOldest(isFirst ? null : network)) serveOfAny(request).then(resolve, fail)
      else end()
    })

  return (request) => (ofAny < maxOfAny ? serveOfAny(request) : serveWithinShare(request))
}
