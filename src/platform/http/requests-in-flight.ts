import { createFairQueue, type FairnessPath } from '../kit/fair-queue.ts'

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
 * it is full, a request replaces the newest one of the network with the most requests.
 *
 * @param max `api.maxRequestsInFlight`
 */
export function createRequestsInFlight(max: number): RequestsInFlight {
  const shared = createFairQueue<() => void>(Math.ceil(max / 2))
  const maxOfAny = Math.floor(max / 2)
  let ofAny = 0

  const serveWithinShare = <Result>({ path, serve, reject }: Competitor<Result>): Promise<Result> =>
    new Promise((resolve, fail) => {
      const place = path()
      const end = (): void => resolve(reject())
      const displaced = shared.add(place, end)
      displaced?.()
      if (displaced === end) return
      serve()
        .then(resolve, fail)
        .finally(() => shared.remove(place, end))
    })

  return async (request) => {
    if (ofAny >= maxOfAny) return serveWithinShare(request)
    ofAny += 1
    try {
      return await request.serve()
    } finally {
      ofAny -= 1
    }
  }
}
