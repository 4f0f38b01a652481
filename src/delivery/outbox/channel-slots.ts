import type { Vacancy } from './claim-messages.sql.ts'
import { type Channel, channels, channelsInOrder } from './message.ts'

/**
 * Slots for messages in delivery, per channel: a carrier that hangs delays only its own messages.
 */
export interface ChannelSlots {
  /**
   * Returns the channels with slots that are neither occupied nor claimed, and their number. The
   * others are queried as soon as half of their slots are free: new messages do not delay those
   * that wait in the table.
   */
  vacancies(): Vacancy[]
  /** Occupies slots with the messages that were found for them. */
  enter(vacancies: readonly Vacancy[], found: readonly { channel: Channel }[]): void
  /**
   * Claims a new message for this process, before it is stored. It gets a slot later.
   *
   * @returns false if the message has to wait for others in the table.
   */
  claim(channel: Channel): boolean
  /**
   * Ends the claim of a message that was not stored.
   *
   * @returns whether to query for more, as {@link leave} does.
   */
  release(channel: Channel): boolean
  /**
   * Occupies a slot with a claimed message, after those that wait for one already.
   *
   * @returns false if none is free within the time, or before `close`.
   */
  enterClaimed(channel: Channel, withinMs: number): Promise<boolean>
  /** Reports whether new messages of a channel have to wait for others in the table. */
  areCrowded(): boolean
  /**
   * Frees the slot of a message.
   *
   * @returns whether to query for more: the last query filled all slots, and half of the channel's
   *   are free again.
   */
  leave(channel: Channel): boolean
  /** Ends the waits of claimed messages for slots. */
  close(): void
}

interface ChannelState {
  width: number
  running: number
  /** The number of claimed messages without a slot. */
  claimed: number
  /** The claimed messages that wait for a slot, each as a function that grants or refuses it. */
  waiting: Set<(isGranted: boolean) => void>
  /**
   * Whether messages wait: the last query found as many as there were slots, or a new one waits.
   */
  hasMore: boolean
}

/**
 * @param widthOf returns the number of slots of a channel.
 * @param claims the number of new messages of a channel that are claimed beyond its slots.
 */
export function createChannelSlots(
  widthOf: (channel: Channel) => number,
  claims: number,
): ChannelSlots {
  const slots = Object.fromEntries(
    channels.map((channel): [Channel, ChannelState] => [
      channel,
      { width: widthOf(channel), running: 0, claimed: 0, waiting: new Set(), hasMore: false },
    ]),
  ) as Record<Channel, ChannelState>
  let isClosed = false
  const isCrowded = ({ width, running, claimed, hasMore }: ChannelState): boolean =>
    hasMore || running + claimed >= width + claims
  const mayQuery = ({ width, running, hasMore }: ChannelState): boolean =>
    hasMore && running <= width / 2
  return {
    claim: (channel) => {
      const state = slots[channel]
      if (channelsInOrder.includes(channel)) return false
      state.hasMore = isCrowded(state)
      if (state.hasMore) return false
      state.claimed++
      return true
    },
    release: (channel) => {
      slots[channel].claimed--
      return mayQuery(slots[channel])
    },
    enterClaimed: async (channel, withinMs) => {
      const state = slots[channel]
      const isFree = state.running < state.width
      if (withinMs > 0 && isFree) state.running++
      const isGranted =
        withinMs > 0 && (isFree || (!isClosed && (await untilGranted(state, withinMs))))
      state.claimed--
      // The message waits in the table then.
      if (!isGranted) state.hasMore = true
      return isGranted
    },
    areCrowded: () => Object.values(slots).some(isCrowded),
    vacancies: () =>
      channels.flatMap((channel) => {
        const state = slots[channel]
        const count = state.width - state.running - state.claimed
        if (count > 0) return [{ channel, count }]
        state.hasMore = true
        return []
      }),
    enter: (vacancies, found) => {
      for (const { channel, count } of vacancies) {
        const arrived = found.filter((one) => one.channel === channel).length
        slots[channel].running += arrived
        slots[channel].hasMore = arrived === count
      }
    },
    leave: (channel) => {
      const state = slots[channel]
      const [next] = state.waiting
      if (next) {
        next(true)
        return false
      }
      state.running--
      // Another message to the same recipient may have waited for it.
      return channelsInOrder.includes(channel) || mayQuery(state)
    },
    close: () => {
      isClosed = true
      for (const { waiting } of Object.values(slots)) for (const end of waiting) end(false)
    },
  }
}

/** Waits for the slot of a message that ends. */
const untilGranted = ({ waiting }: ChannelState, withinMs: number): Promise<boolean> =>
  new Promise((resolve) => {
    const end = (isGranted: boolean): void => {
      clearTimeout(timer)
      waiting.delete(end)
      resolve(isGranted)
    }
    const timer = setTimeout(end, withinMs, false)
    waiting.add(end)
  })
