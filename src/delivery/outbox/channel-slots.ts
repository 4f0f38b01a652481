import type { Vacancy } from './claim-messages.sql.ts'
import { type Channel, channels, channelsInOrder } from './message.ts'

/**
 * Room for messages on their way, some for each channel: a carrier that hangs holds up its own messages
 * and nobody else's.
 */
export interface ChannelSlots {
  /** The channels that can take more, and how many. */
  vacancies(): Vacancy[]
  /** Messages were found for these vacancies. */
  enter(vacancies: readonly Vacancy[], found: readonly { channel: Channel }[]): void
  /**
   * A message has left.
   *
   * @returns whether it is time to look for more: there were more than fitted in, and half of the lane
   *   is free again.
   */
  leave(channel: Channel): boolean
}

interface Lane {
  running: number
  /** Whether the last look found as many as there was room for. */
  hasMore: boolean
}

export function createChannelSlots(width: number): ChannelSlots {
  const slots = Object.fromEntries(
    channels.map((channel) => [channel, { running: 0, hasMore: false }]),
  ) as Record<Channel, Lane>
  return {
    vacancies: () =>
      channels
        .map((channel) => ({ channel, count: width - slots[channel].running }))
        .filter(({ count }) => count > 0),
    enter: (vacancies, found) => {
      for (const { channel, count } of vacancies) {
        const arrived = found.filter((one) => one.channel === channel).length
        slots[channel].running += arrived
        slots[channel].hasMore = arrived === count
      }
    },
    leave: (channel) => {
      const lane = slots[channel]
      lane.running--
      // Another one to the same recipient may have waited for it.
      if (channelsInOrder.includes(channel)) return true
      return lane.hasMore && lane.running <= width / 2
    },
  }
}
