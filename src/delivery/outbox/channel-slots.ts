import type { Vacancy } from './claim-messages.sql.ts'
import { type Channel, channels, channelsInOrder } from './message.ts'

/**
 * Slots for messages in delivery, per channel: a carrier that hangs delays only its own messages.
 */
export interface ChannelSlots {
  /** Returns the channels with free slots, and their number. */
  vacancies(): Vacancy[]
  /** Occupies slots with the messages that were found for them. */
  enter(vacancies: readonly Vacancy[], found: readonly { channel: Channel }[]): void
  /**
   * Occupies a slot with a new message, before it is stored.
   *
   * @returns false if the message has to wait for others.
   */
  occupy(channel: Channel): boolean
  /** Reports whether new messages of a channel have to wait for others. */
  areCrowded(): boolean
  /**
   * Frees the slot of a message.
   *
   * @returns whether to query for more: the last query filled all slots, and half of the channel's
   *   are free again.
   */
  leave(channel: Channel): boolean
}

interface ChannelState {
  running: number
  /** Whether messages wait: the last query found as many as there were slots, or a new one waits. */
  hasMore: boolean
}

export function createChannelSlots(width: number): ChannelSlots {
  const slots = Object.fromEntries(
    channels.map((channel) => [channel, { running: 0, hasMore: false }]),
  ) as Record<Channel, ChannelState>
  const isCrowded = ({ running, hasMore }: ChannelState): boolean => hasMore || running >= width
  return {
    occupy: (channel) => {
      const state = slots[channel]
      if (channelsInOrder.includes(channel)) return false
      state.hasMore = isCrowded(state)
      if (state.hasMore) return false
      state.running++
      return true
    },
    areCrowded: () => Object.values(slots).some(isCrowded),
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
      const state = slots[channel]
      state.running--
      // Another message to the same recipient may have waited for it.
      if (channelsInOrder.includes(channel)) return true
      return state.hasMore && state.running <= width / 2
    },
  }
}
