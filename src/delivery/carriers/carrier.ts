import { isError } from '../../platform/kit/is-error.ts'

/** What is the same at every attempt to send one message. */
export interface Delivery {
  /** A UUID: the local part of `Message-ID`, and the idempotency key. */
  id: string
  createdAt: Date
}

/** What a carrier said of a message that it took. */
export interface Sent {
  /** The carrier's own name for the message, where it gives one. */
  carrierMessageId: string | null
}

/** Who takes messages off our hands. */
export interface Carrier<Message> {
  /**
   * Hands a message over. May be asked again for one that it took already, should we not have learnt
   * of that: `delivery` tells.
   *
   * @throws what {@link carrierRefusal} makes when it says no; anything else is a fault on the way,
   *   and the message is tried again.
   */
  send(message: Message, delivery: Delivery): Promise<Sent>
  /** Lets go of connections. */
  close?(): Promise<void>
}

interface CarrierRefusal extends Error {
  name: 'CarrierRefusal'
  isFinal: boolean
}

/**
 * A carrier's no.
 *
 * @param reason in words for the operator; holds no address, number, code or link.
 * @param isFinal whether asking again is in vain.
 */
export const carrierRefusal = (reason: string, isFinal: boolean): CarrierRefusal =>
  Object.assign(new Error(reason), { name: 'CarrierRefusal' as const, isFinal })

export const isCarrierRefusal = (error: unknown): error is CarrierRefusal =>
  isError(error) && error.name === 'CarrierRefusal'
