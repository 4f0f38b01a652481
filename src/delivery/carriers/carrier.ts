import { isError } from '../../platform/kit/is-error.ts'
import { withinTime } from '../../platform/kit/within-time.ts'
import { hideAddresses } from '../../platform/observability/hide-addresses.ts'

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

/**
 * The number of mails that an instance sends at a time, each by a connection of its own. Mail
 * servers reject further connections of a client: some permit few.
 */
export const mailsAtOnce = 5

/** A component that delivers messages. */
export interface Carrier<Message> {
  /**
   * Sends a message. It may be called again for a message that was accepted, if that was not
   * recorded: `delivery` identifies the repetition.
   *
   * @throws an error of {@link carrierRejection} for a rejection, or of {@link carrierDeferral};
   *   any other error is temporary, and the message is retried.
   */
  send(message: Message, delivery: Delivery): Promise<Sent>
  /** Closes connections. */
  close?(): Promise<void>
}

interface CarrierRejection extends Error {
  name: 'CarrierRejection'
  isFinal: boolean
}

/**
 * Creates the error for a carrier's rejection.
 *
 * @param reason for the operator; contains no address, number, code or link.
 * @param isFinal whether a retry would fail as well.
 */
export const carrierRejection = (
  reason: string,
  { isFinal }: { isFinal: boolean },
): CarrierRejection =>
  Object.assign(new Error(reason), { name: 'CarrierRejection' as const, isFinal })

/** Creates the error for a rejection that a retry would meet as well. */
export const finalRejection = (reason: string): CarrierRejection =>
  carrierRejection(reason, { isFinal: true })

/** Creates the error for a rejection after which the message is retried. */
export const temporaryRejection = (reason: string): CarrierRejection =>
  carrierRejection(reason, { isFinal: false })

/** The error of a carrier that is busy: the message waits, and the attempt does not count. */
interface CarrierDeferral extends Error {
  name: 'CarrierDeferral'
  pauseMs: number
}

/** @param reason as that of {@link carrierRejection}. */
export const carrierDeferral = (reason: string, pauseMs: number): CarrierDeferral =>
  Object.assign(new Error(reason), { name: 'CarrierDeferral' as const, pauseMs })

export const isCarrierDeferral = (error: unknown): error is CarrierDeferral =>
  isError(error) && error.name === 'CarrierDeferral'

export const isCarrierRejection = (error: unknown): error is CarrierRejection =>
  isError(error) && error.name === 'CarrierRejection'

// biome-ignore lint/suspicious/noConfusingVoidType: a function may end without a value
type Answer = void | { messageId?: string | undefined }

/**
 * Passes a message to a function of the application, `email.send` or `sms.send`.
 *
 * @throws {@link temporaryRejection} for any exception of the function, whose message may quote the
 *   address.
 */
export async function callCarrierFunction(
  setting: string,
  call: () => Answer | Promise<Answer>,
  timeoutMs: number,
): Promise<Sent> {
  const sending = Promise.resolve().then(call)
  const sent = await withinTime(sending, timeoutMs, tooSlow).catch((error: unknown) => {
    const { name, message } = isError(error) ? error : new Error(String(error))
    throw temporaryRejection(hideAddresses(`${setting} failed: ${name}: ${message}`))
  })
  // JavaScript may return any value. A number is an id, too.
  const messageId: unknown = sent?.messageId
  const isId = typeof messageId === 'string' || typeof messageId === 'number'
  return { carrierMessageId: isId ? String(messageId) : null }
}

const tooSlow = () => new Error('it exceeded its time limit')
