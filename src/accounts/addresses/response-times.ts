import { createUsualTimes, type UsualTimes } from '../../platform/kit/usual-times.ts'
import { waitUntil } from '../../platform/kit/wait-until.ts'

/** The requests for messages to an address that may have no user. */
type Requested = 'otp' | 'recover' | 'resend'

/** The times of responses that do not reveal whether an address has a user. */
export interface ResponseTimes {
  /**
   * Runs a request, and delays its result to the usual time of those with a user and of those
   * without one, whichever take longer. An error is not delayed.
   *
   * @param work receives the function that records whether the address has a user.
   */
  conceal<T>(
    requested: Requested,
    work: (noteUser: (hasUser: boolean) => void) => Promise<T>,
  ): Promise<T>
}

export function createResponseTimes(): ResponseTimes {
  const times: Record<Requested, UsualTimes> = {
    otp: createUsualTimes(),
    recover: createUsualTimes(),
    resend: createUsualTimes(),
  }
  return {
    conceal: async (requested, work) => {
      const ofRequest = times[requested]
      const startedAt = performance.now()
      let kind = 'unknown'
      const result = await work((hasUser) => {
        kind = hasUser ? 'known' : 'unknown'
      })
      ofRequest.note(kind, performance.now() - startedAt)
      await waitUntil(startedAt + ofRequest.leastMs())
      return result
    },
  }
}
