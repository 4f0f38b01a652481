import type { Clock } from '../../platform/kit/clock.ts'
import type { Carrier, Delivery } from '../carriers/carrier.ts'
import type { RenderedMail } from '../mail/mail.ts'
import type { RenderedSms, SmsCarrier } from '../sms/sms.ts'

/** A message that was sent to the mailbox only. */
export type MailboxMessage = { id: string; arrivedAt: Date } & (
  | { kind: 'mail'; mail: RenderedMail }
  | { kind: 'sms'; sms: RenderedSms }
)

/** A subscriber to received messages. */
export interface MailboxListener {
  arrived(message: MailboxMessage): void
  /** No further messages will be received. */
  closed(): void
}

/** The destination of messages in development: carriers that store messages in memory. */
export interface DevelopmentMailbox {
  mails: Carrier<RenderedMail>
  sms: SmsCarrier
  /** The newest first. */
  list(): readonly MailboxMessage[]
  find(id: string): MailboxMessage | null
  /** @returns a function that ends the subscription. */
  subscribe(listener: MailboxListener): () => void
  /** Ends all subscriptions. */
  close(): void
}

const defaultSize = 200

/** @param size the maximum number of messages; the oldest are deleted first. */
export function createDevelopmentMailbox(
  { clock }: { clock: Clock },
  size = defaultSize,
): DevelopmentMailbox {
  // A map keeps the order of insertion, so its first message is the oldest.
  const messages = new Map<string, MailboxMessage>()
  const listeners = new Set<MailboxListener>()

  const keep = (message: MailboxMessage) => {
    // A message that was sent twice, because no result was recorded, is stored once.
    if (messages.has(message.id)) return
    messages.set(message.id, message)
    for (const oldest of messages.keys()) {
      if (messages.size <= size) break
      messages.delete(oldest)
    }
    for (const listener of listeners) listener.arrived(message)
  }
  const known = ({ id }: Delivery) => ({ id, arrivedAt: clock.now() })
  const sent = { carrierMessageId: null }

  return {
    mails: {
      send: async (mail, delivery) => {
        keep({ ...known(delivery), kind: 'mail', mail })
        return sent
      },
    },
    sms: {
      send: async (sms, delivery) => {
        keep({ ...known(delivery), kind: 'sms', sms })
        return sent
      },
    },
    list: () => [...messages.values()].reverse(),
    find: (id) => messages.get(id) ?? null,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close: () => {
      for (const listener of listeners) listener.closed()
      listeners.clear()
    },
  }
}
