import { isError } from '../../platform/kit/is-error.ts'

/** The data that are the same at each attempt to send a message. */
export interface Delivery {
  /** A UUID: the local part of `Message-ID`, and the idempotency key. */
  id: string
  createdAt: Date
}

/** A carrier's response to an accepted message. */
export interface Sent {
  /** The carrier's id of the message, if it returns one. */
  carrierMessageId: string | null
}

/** A component that delivers messages. */
export interface Carrier<Message> {
  /**
   * Sends a message. It may be called again for a message that was accepted, if that was not
   * recorded: `delivery` identifies the repetition.
   *
   * @throws an error of {@link carrierRefusal} for a rejection; any other error is temporary, and
   *   the message is retried.
   */
  send(message: Message, delivery: Delivery): Promise<Sent>
  /** Closes connections. */
  close?(): Promise<void>
}

interface CarrierRefusal extends Error {
  name: 'CarrierRefusal'
  isFinal: boolean
}

/**
 * Creates the error for a carrier's rejection.
 *
 * @param reason for the operator; contains no address, number, code or link.
 * @param isFinal whether a retry would fail as well.
 */
export const carrierRefusal = (reason: string, isFinal: boolean): CarrierRefusal =>
  Object.assign(new Error(reason), { name: 'CarrierRefusal' as const, isFinal })

export const isCarrierRefusal = (error: unknown): error is CarrierRefusal =>
  isError(error) && error.name === 'CarrierRefusal'
