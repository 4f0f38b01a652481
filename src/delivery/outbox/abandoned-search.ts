import { isOlder } from '../../platform/kit/clock.ts'
import type { Claim } from './claim-messages.sql.ts'

/** The interval of searches for messages of processes that ended before they delivered them. */
const searchMs = 5_000

/**
 * Such a search is for messages that were stored since this time before the last one: statements
 * take time, and clocks differ. The first search, and each until slots are free, is for all.
 */
const searchedMs = 900_000

/** Decides when to search for messages of processes that ended before they delivered them. */
export interface AbandonedSearch {
  /** Returns the search that is due; undefined for none. */
  due(now: Date): Claim['abandoned']
  /**
   * Records the result of a search.
   *
   * @param areFound whether it found messages.
   * @param areCrowded whether a channel had no slots for more.
   */
  finish(startedAt: Date, areFound: boolean, areCrowded: boolean): void
}

export function createAbandonedSearch(): AbandonedSearch {
  let searchedAt: Date | null = null
  let areAllSearched = false
  /**
   * Whether the last search found messages, or had no slots for more: the next query repeats it.
   */
  let areMoreLeft = false
  return {
    due: (now) => {
      if (!areMoreLeft && !isOlder(searchedAt, searchMs, now)) return undefined
      const last = Math.min(now.getTime(), searchedAt?.getTime() ?? 0)
      return { since: areAllSearched ? new Date(last - searchedMs) : null }
    },
    finish: (startedAt, areFound, areCrowded) => {
      searchedAt = startedAt
      areMoreLeft = areFound || (areMoreLeft && areCrowded)
      areAllSearched ||= !areCrowded
    },
  }
}
